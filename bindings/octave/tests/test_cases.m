% SPDX-License-Identifier: Apache-2.0
% Labels are those of the command: one table of cases for every language.
function tests = test_cases ()
  tests = {};
  lines = strsplit (fileread (getenv ('ONEFOLD_CASES')), "\n");
  lines = lines(~cellfun (@(l) isempty (l) || l(1) == '#', lines));
  names = strsplit (lines{1}, ',');
  assert (numel (lines) > 5);
  for i = 2:numel (lines)
    values = strsplit (lines{i}, ',', 'CollapseDelimiters', false);
    case_ = cell2struct (values(:), names(:));
    tests{end + 1} = @() check_case (case_);
  end
end

function check_case (c)
  path = getenv ('ONEFOLD_DIGITS');
  if ~strcmp (c.data, 'digits')
    path = [tempname() '.mat'];
    command (['synth ' path flags(c.data)]);
  end
  words = [' --clusters ' c.clusters ' --seed ' c.seed flags(c.more)];
  options = [{'Seed', str2double(c.seed)}, pairs(c.more)];
  if ~isempty (c.method)
    words = [words ' --method ' c.method];
    options = [options, {'Method', c.method}];
  end
  if ~isempty (c.kernel)
    words = [words ' --kernel ' strrep(c.kernel, ';', ',')];
    options = [options, {'Kernel', strsplit(c.kernel, ';')}];
  end
  printed = str2num (command (['fit ' path words])) + 1;
  views = onefold_read (path);
  same (onefold (views, str2double (c.clusters), 'Model', false, options{:}), printed, c.name);
  file = load (path); % the arrays of the file itself, as Octave reads them
  if isfield (file, 'X')
    views = file.X(:)';
    same (onefold (views, str2double (c.clusters), 'Model', false, options{:}), printed, ...
      [c.name ' by load']);
  end
  if strcmp (c.method, 'os-lfmvc-cs')
    model = [tempname() '.model'];
    printed = str2num (command (['fit ' path words ' --model ' model])) + 1;
    [views, ~, found] = onefold_read (path);
    [labels, info] = onefold (views, str2double (c.clusters), 'Names', found.names, options{:});
    same (labels, printed, [c.name ' with a model']);
    id = fopen (model);
    bytes = fread (id, Inf, '*uint8');
    fclose (id);
    % matrices have no names of columns; the digits do, and the command's model keeps them
    if ~strcmp (c.data, 'digits') && ~isequal (info.model, bytes)
      error ('%s: the model is not the file of the command', c.name);
    end
  end
end

function same (labels, printed, name)
  if ~isequal (labels, printed)
    error ('%s: %d of %d labels differ', name, sum (labels ~= printed), numel (printed));
  end
end

function text = flags (words)
  text = '';
  found = pairs (words);
  for i = 1:2:numel (found)
    value = found{i + 1};
    if ~ischar (value)
      value = num2str (value, 17);
    end
    text = [text ' --' found{i} ' ' value];
  end
end

function list = pairs (words)
  list = {};
  for word = strsplit (words, ' ')
    if isempty (word{1})
      continue;
    end
    parts = strsplit (word{1}, '=');
    number = str2double (parts{2});
    if isnan (number)
      number = parts{2};
    end
    list = [list, {parts{1}, number}];
  end
end

function out = command (words)
  [status, out] = system ([getenv('ONEFOLD_COMMAND') ' ' words ' 2>/dev/null']);
  if status ~= 0
    error ('onefold %s ended with %d', words, status);
  end
end
