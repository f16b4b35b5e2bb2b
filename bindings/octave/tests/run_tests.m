% SPDX-License-Identifier: Apache-2.0
% Runs every test_*.m beside it and the doctests; the last line says what passed and failed.
% Each test is a function without arguments that ends with an error where something is wrong.
function run_tests ()
  here = fileparts (mfilename ('fullpath'));
  addpath (here);
  pkg load onefold
  passed = 0;
  failed = 0;
  files = dir (fullfile (here, 'test_*.m'));
  for i = 1:numel (files)
    [~, name] = fileparts (files(i).name);
    printf ('%s\n', name);
    fflush (stdout);
    tests = feval (name);
    for t = 1:numel (tests)
      try
        tests{t} ();
        passed++;
      catch problem
        failed++;
        printf ('failed: %s in %s: %s\n', func2str (tests{t}), name, problem.message);
        for s = problem.stack(1:min (3, end))'
          printf ('    %s, line %d\n', s.name, s.line);
        end
      end
    end
  end
  pkg load doctest
  for name = {'onefold', 'onefold_predict', 'onefold_choose', 'onefold_score', 'onefold_read'}
    [found, total] = doctest (name{1}, '-quiet');
    if total == 0
      failed++;
      printf ('failed: %s has no doctests\n', name{1});
    end
    passed += found;
    failed += total - found;
  end
  printf ('%d passed, %d failed\n', passed, failed);
  fflush (stdout);
  exit (double (failed > 0));
end
