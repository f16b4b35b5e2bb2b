% SPDX-License-Identifier: Apache-2.0
function tests = test_fit ()
  tests = {@info_is_whole, @types_and_sides, @sparse_views, @kernels, @missing_views, @prediction, ...
    @choice, @comparison, @scores, @files, @errors, @interrupt, @default_method, @no_copies, ...
    @experiment, @functions};
end

function info_is_whole ()
  [views, truth] = made_data ();
  [labels, info] = onefold (views, 3, 'Method', 'os-lfmvc-cs', 'Truth', truth, 'Seed', 4);
  assert (size (labels), [150, 1]);
  assert (unique (labels), [1; 2; 3]);
  assert (info.scores.acc, 1);
  assert (sumsq (info.weights), 1, 1e-9);
  assert (size (info.embedding), [150, 6]);
  assert (size (info.view_parts), [150, 2]);
  assert (mean (sum (info.view_parts, 2) > 0) > 0.9);
  [~, plain] = onefold (views, 3, 'Method', 'avg-kkm');
  assert (isempty (plain.view_parts));
  assert (numel (info.trace), info.iterations);
  assert (info.trace(end), info.objective, 1e-9 * abs (info.objective));
  assert (size (info.confidence), [150, 1]);
  assert (all (info.confidence >= 0 & info.confidence <= 1));
  assert (size (info.agreement), [2, 1]);
  assert (size (info.cluster_agreement), [2, 3]);
  [~, fixed] = onefold (views, 3, 'Method', 'onefold', 'Weights', '0.6,auto');
  assert (fixed.weights, [0.6; 0.4], 1e-9);
  [~, fixed] = onefold (views, 3, 'Method', 'os-lfmvc-cs', 'Weights', '0.6,auto');
  assert (fixed.weights, [0.6; 0.8], 1e-9);
  state = rand ('twister');
  again = onefold (views, 3, 'method', 'os-lfmvc-cs', 'SEED', 4, 'Threads', 1);
  assert (rand ('twister'), state);
  assert (again, labels);
end

function types_and_sides ()
  [views, truth] = made_data ();
  whole = cellfun (@(v) round (5 * v), views, 'UniformOutput', false);
  labels = onefold (whole, 3, 'Method', 'os-lfmvc-cs');
  assert (onefold_score (labels, truth).acc, 1);
  for kind = {'single', 'int8', 'int16', 'int32', 'int64'}
    cast = cellfun (@(v) feval (kind{1}, v), whole, 'UniformOutput', false);
    assert (onefold (cast, 3, 'Method', 'os-lfmvc-cs'), labels);
  end
  up = cellfun (@(v) min (max (v + 100, 0), 255), whole, 'UniformOutput', false);
  lifted = onefold (up, 3, 'Method', 'os-lfmvc-cs');
  for kind = {'uint8', 'uint16', 'uint32', 'uint64'}
    cast = cellfun (@(v) feval (kind{1}, v), up, 'UniformOutput', false);
    assert (onefold (cast, 3, 'Method', 'os-lfmvc-cs'), lifted);
  end
  logical_views = cellfun (@(v) v > 0, whole, 'UniformOutput', false);
  number_views = cellfun (@(v) double (v > 0), whole, 'UniformOutput', false);
  assert (onefold (logical_views, 3, 'Method', 'os-lfmvc-cs'), ...
    onefold (number_views, 3, 'Method', 'os-lfmvc-cs'));
  % rows in one view and columns in the other, and both as columns
  assert (onefold ({whole{1}', whole{2}}, 3, 'Method', 'os-lfmvc-cs'), labels);
  assert (onefold ({whole{1}; whole{2}}, 3, 'Method', 'os-lfmvc-cs'), labels); % a column of views
  assert (onefold ({whole{1}', whole{2}'}, 3, 'Method', 'os-lfmvc-cs'), labels);
  alike = {whole{1}', whole{2}(:, 1:6)'};
  turned = onefold (alike, 3, 'Method', 'os-lfmvc-cs', 'SamplesAre', 'columns');
  assert (numel (turned), 150);
  assert (onefold (alike, 3, 'Method', 'os-lfmvc-cs', 'Truth', truth), turned);
  assert (numel (onefold (alike, 3, 'Method', 'os-lfmvc-cs')), 6);
end

function sparse_views ()
  [views, truth] = made_data ();
  rows = cellfun (@(v) sparse (v .* (v > 0)), views, 'UniformOutput', false);
  labels = onefold (rows, 3, 'Method', 'os-lfmvc-cs');
  columns = cellfun (@transpose, rows, 'UniformOutput', false);
  assert (onefold (columns, 3, 'Method', 'os-lfmvc-cs'), labels);
  assert (numel (onefold (cellfun (@(v) v > 1, rows, 'UniformOutput', false), 3, 'Method', ...
    'os-lfmvc-cs')), 150);
end

function kernels ()
  [views, truth] = made_data ();
  KH = zeros (150, 150, 2);
  for i = 1:2
    KH(:, :, i) = views{i} * views{i}';
  end
  [labels, info] = onefold (KH, 3, 'Method', 'os-lfmvc-cs', 'Truth', truth);
  assert (info.scores.acc, 1);
  assert (info.kernels, {'precomputed'; 'precomputed'});
  cells = {KH(:, :, 1), KH(:, :, 2)};
  assert (onefold (cells, 3, 'Method', 'os-lfmvc-cs', 'Kernel', 'precomputed'), labels);
  assert (numel (onefold (KH, 3, 'Method', 'mkkm')), 150);
  new = onefold_predict (info, {KH(1:7, :, 1), KH(1:7, :, 2)});
  assert (new, labels(1:7));
end

function missing_views ()
  [views, truth] = made_data ();
  holes = views;
  holes{2}(1:20, :) = NaN;
  labels = onefold (holes, 3, 'Method', 'os-lfmvc-cs');
  assert (onefold_score (labels, truth).acc, 1);
  present = ones (150, 2);
  present(1:20, 2) = 0;
  assert (onefold (views, 3, 'Method', 'os-lfmvc-cs', 'Present', present), labels);
  holes = views;
  holes{1}(3, 2) = NaN;
  fails_with ('onefold:bad_data', 'missing', @() onefold (holes, 3, 'Method', 'os-lfmvc-cs'));
  assert (onefold_score (onefold (holes, 3, 'Method', 'os-lfmvc-cs', 'Impute', 'mean'), truth).acc, 1);
end

function prediction ()
  [views, truth] = made_data ();
  [labels, info] = onefold (views, 3, 'Method', 'os-lfmvc-cs');
  part = cellfun (@(v) v(1:9, :), views, 'UniformOutput', false);
  [new, found] = onefold_predict (info, part);
  assert (new, labels(1:9));
  assert (found.confidence, info.confidence(1:9), 1e-9);
  assert (size (found.embedding), [9, 6]);
  turned = cellfun (@transpose, part, 'UniformOutput', false);
  assert (onefold_predict (info.model, turned, 'SamplesAre', 'columns'), new);
  path = [tempname() '.mat'];
  save ('-v7', path, 'info'); % a model outlives the session
  kept = load (path);
  assert (onefold_predict (kept.info, part), new);
  fails_with ('onefold:bad_data', 'columns', @() onefold_predict (info, part([2 1])));
  [~, none] = onefold (views, 3, 'Method', 'mkkm');
  fails_with ('onefold:unsupported', 'no model', @() onefold_predict (none, part));
end

function choice ()
  views = made_data (240, 4);
  [k, info] = onefold_choose (views, 'Least', 2, 'Most', 6);
  assert (k, 4);
  assert (info.clusters, (2:6)');
  assert (! isempty (info.reasons) && ischar (info.reasons{1}));
  assert (info.entropy, log (info.clusters), 1e-12);
  assert (all (info.evidence >= 0 & info.evidence <= info.agreement .^ 2 .* info.entropy));
  assert (info.evidence(info.clusters == 4) >= 0.92 * max (info.evidence)); % the smallest of near numbers
  assert (info.told(3) > info.chance(3));
  fails_with ('onefold:usage', '6 to 2', @() onefold_choose (views, 'Least', 6, 'Most', 2));
end

function comparison ()
  [views, truth] = made_data ();
  [table, best] = onefold_bench (views, truth, 'Methods', {'os-lfmvc-cs', 'sb-kkm', 'mkkm'}, 'Repeats', 2);
  assert (numel (table.acc), 9 + (1 + 2) + 1);
  assert (sum (table.default), 3);
  assert (sum (table.best), 2);
  assert (sum (table.median), 2);
  assert (table.seconds, table.seconds_base + table.seconds_fit + table.seconds_kmeans, 1e-9);
  assert (table.view > 0, strcmp (table.method, 'sb-kkm'));
  assert (table.acc(best(1)), max (table.acc));
  labels = onefold (views, 3, 'Method', 'os-lfmvc-cs');
  one = onefold_bench (views, truth, 'Methods', 'os-lfmvc-cs', 'Grid', 'none', 'Repeats', 1);
  assert (one.acc, onefold_score (labels, truth).acc);
  assert (one.acc_deviation, 0);
  fails_with ('onefold:usage', 'Lead', @() onefold_bench (views, truth, 'Lead', 1));
  fails_with ('onefold:bad_data', 'no side in common', @() onefold_bench (views, 1:3));
end

function scores ()
  [s, row] = onefold_score ([1 1 2 2 3], {'a', 'a', 'b', 'b', 'b'});
  assert (s.acc, 0.8);
  assert (s.purity, 1);
  assert (row, [s.acc, s.nmi, s.purity, s.ari, s.f]);
  assert (onefold_score ([2; 2; 1], int8 ([5 5 -3])).ari, 1);
  fails_with ('onefold:usage', '2 labels and 3', @() onefold_score ([1 2], [1 2 3]));
  fails_with ('onefold:bad_data', 'NaN', @() onefold_score ([1 NaN], [1 2]));
end

function files ()
  [views, truth, info] = onefold_read (getenv ('ONEFOLD_DIGITS'));
  assert (numel (views), 4);
  assert (size (views{1}), [1797, 64]);
  assert (numel (unique (truth)), 10);
  assert (info.names{1}, 'pixels');
  path = [tempname() '.csv'];
  csvwrite (path, reshape (1:45, 9, 5));
  lastwarn ('', '');
  [~, ~, info] = onefold_read (path);
  [text, identifier] = lastwarn ();
  delete (path);
  assert (identifier, 'onefold:assumed');
  assert (text, info.assumptions{end});
  assert (~isempty (strfind (text, 'samples are the rows')));
  columns_of_tables ();
  fails_with ('onefold:io', 'none.mat', @() onefold_read ('none.mat'));
  fails_with ('onefold:usage', 'no option', @() onefold_read ('none.mat', 'Side', 1));
end

function errors ()
  views = made_data ();
  fails_with ('onefold:usage', '`k`', @() onefold (views, 0));
  fails_with ('onefold:usage', 'mkkm', @() onefold (views, 3, 'Method', 'mkm'));
  fails_with ('onefold:usage', 'no option ''Sed''', @() onefold (views, 3, 'Sed', 1));
  fails_with ('onefold:usage', 'cannot be', @() onefold (views, 3, 'Base', 'exakt'));
  fails_with ('onefold:usage', 'whole number', @() onefold (views, 3, 'Seed', -1));
  fails_with ('onefold:usage', 'pairs', @() onefold (views, 3, 'Seed'));
  fails_with ('onefold:bad_data', 'no views', @() onefold ({}, 3));
  fails_with ('onefold:bad_data', 'cell', @() onefold ({{1}}, 3));
  fails_with ('onefold:bad_data', 'in common', @() onefold ({ones(3, 4), ones(5, 6)}, 2));
  fails_with ('onefold:bad_data', 'true labels', @() onefold (views, 3, 'Truth', 1:3, ...
    'SamplesAre', 'rows'));
  fails_with ('onefold:usage', 'onefold_mex', @() onefold_mex ('nothing', struct ()));
end

function interrupt ()
  % The fit would take hours. The signal is sent when it has started the thread that works for it: one more than
  % there are before. The call ends, and Octave goes on.
  rand ('twister', 2);
  views = {rand(3000, 40), rand(3000, 40), rand(3000, 40)};
  tasks = sprintf ('/proc/%d/task', getpid ());
  system (sprintf ('(until [ $(ls %s | wc -l) -gt %d ]; do sleep 0.05; done; kill -INT %d) >/dev/null 2>&1 &', ...
    tasks, numel (readdir (tasks)) - 2, getpid ()));
  try
    onefold (views, 40, 'Method', 'os-lfmvc-cs', 'Base', 'exact', 'Restarts', 1000, ...
      'MaxIterations', 100000, 'Tolerance', 1e-300);
    ended = 'it was not interrupted';
  catch problem
    ended = problem.identifier;
  end
  assert (ended, 'onefold:interrupted');
  [views, truth] = made_data ();
  assert (onefold_score (onefold (views, 3, 'Method', 'os-lfmvc-cs'), truth).acc, 1);
end

function default_method ()
  [views, truth] = made_data ();
  [~, info] = onefold (views, 3, 'Truth', truth, 'Progress', false);
  assert (info.scores.acc, 1);
  assert (! isempty (info.method));
end

function no_copies ()
  % a double matrix is used where it lies: the process does not grow by it
  view = rand (100000, 100);
  before = peak ();
  onefold ({view}, 2, 'SamplesAre', 'rows', 'Method', 'os-lfmvc-cs', 'Kernel', 'linear', ...
    'Restarts', 1, 'Model', false);
  assert (peak () - before < 8 * numel (view) / 1024 / 2);
end

function kilobytes = peak ()
  kilobytes = str2double (regexp (fileread ('/proc/self/status'), 'VmHWM:\s*(\d+)', 'tokens'){1}{1});
end

function experiment ()
  % the script of docs/octave.md
  printed = evalc ('run (getenv (''ONEFOLD_EXPERIMENT''))');
  best = str2double (regexp (printed, 'best ACC ([0-9.]+)', 'tokens'){1}{1});
  assert (best > 0.75);
end

function functions ()
  % the other lines of docs/octave.md
  folder = fileparts (getenv ('ONEFOLD_EXPERIMENT'));
  printed = evalc ('run (fullfile (folder, ''functions.m''))');
  assert (! isempty (strfind (printed, 'functions ran')));
end

function columns_of_tables ()
% What the command takes for columns of tables, and categories that weigh as one.
  path = [tempname() '.csv'];
  new = [tempname() '.csv'];
  file = fopen (path, 'w');
  fprintf (file, 'arm,who,x,colour,zip\n');
  words = {'red', 'blue', 'green'};
  for i = 0:29
    fprintf (file, '%d,p%d,%g,%s,%d\n', mod (i, 2) + 1, i, mod (i, 3) * 5 + i / 40, ...
      words{mod (i, 3) + 1}, 1000 + 7 * i);
  end
  fclose (file);
  warning ('off', 'onefold:assumed', 'local');
  [views, ~, info] = onefold_read (path, 'Ids', 'who', 'Drop', {'zip', 1});
  assert (isequal (info.columns{1}, {'x', 'colour=blue', 'colour=green', 'colour=red'}));
  assert (numel (unique (info.units{1})) == 2 && isequal (diff (double (info.units{1}(2:4))), [0 0]));
  [~, ~, other] = onefold_read (path, 'Ids', 2, 'Columns', 'arm,x', 'AsCategory', 'arm');
  assert (isequal (other.columns{1}, {'arm=1', 'arm=2', 'x'}));
  fails_with ('onefold:bad_data', 'is not a number', @() onefold_read (path, 'AsNumber', 'colour'));
  fails_with ('onefold:usage', 'match cannot be', @() onefold_read (path, 'Match', 'place'));
  [with, fitted] = onefold (views, 3, 'Method', 'os-lfmvc-cs', 'Units', info.units);
  [~, without] = onefold (views, 3, 'Method', 'os-lfmvc-cs', 'Kernel', 'rbf');
  assert (numel (unique (with)) == 3 && strcmp (fitted.kernels{1}, 'rbf'));
  assert (abs (fitted.objective - without.objective) > 1e-6);
  fails_with ('onefold:usage', 'Units of the view', @() onefold (views, 3, 'Units', {1}));
  file = fopen (new, 'w');
  fprintf (file, 'who,colour,x\nn1,red,0.1\nn2,red,0.2\nn3,green,10.2\n');
  fclose (file);
  [same, ~, found] = onefold_read (new, 'Expected', info.columns);
  assert (isequal (found.columns{1}, {'colour=blue', 'colour=green', 'colour=red', 'x'}));
  assert (isequal (same{1}(:, 3).', [1 1 0]));
  delete (path);
  delete (new);
end
