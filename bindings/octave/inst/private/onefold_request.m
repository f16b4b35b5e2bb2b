% SPDX-License-Identifier: Apache-2.0
function request = onefold_request (views, given, known)
% What the mex function takes: the views as they lie, and the options by the library's names.
  fit_options = {'method', 'method_options', 'weights', 'dims', 'anchors', 'restarts', ...
    'tolerance', 'max_iterations', 'landmarks', 'neighbours', 'seed', 'nonneg', 'start', ...
    'variant', 'stop', 'base', 'precision', 'effort'};
  own = [{'kernel', 'samples_are', 'truth', 'present', 'impute', 'threads', 'progress', ...
    'names', 'units'}, known];
  options = struct ();
  request = struct ();
  if mod (numel (given), 2) ~= 0
    error ('onefold:usage', 'options are pairs of a name and a value');
  end
  for i = 1:2:numel (given)
    if ~ischar (given{i})
      error ('onefold:usage', 'option number %d is not named by a text', (i + 1) / 2);
    end
    name = match (given{i}, [fit_options, own]);
    if any (strcmp (name, fit_options))
      options.(name) = given{i + 1};
    else
      request.(name) = given{i + 1};
    end
  end
  request.options = options;
  request = add_views (request, views);
end

function name = match (word, names)
% Case and underscores do not count: 'MaxIterations' is max_iterations.
  plain = @(text) lower (strrep (text, '_', ''));
  found = strcmp (plain (word), cellfun (plain, names, 'UniformOutput', false));
  if ~any (found)
    error ('onefold:usage', 'there is no option ''%s''; there are %s', word, strjoin (names, ', '));
  end
  name = names{found};
end

function request = add_views (request, views)
  words = {'auto'};
  if isfield (request, 'kernel') && ~isempty (request.kernel)
    words = request.kernel;
    if ischar (words)
      words = strsplit (words, ',');
    end
  end
  if ~iscell (views)
    views = {views};
  end
  views = views(:).';
  words = words(:).';
  p = numel (views);
  if p == 0
    error ('onefold:bad_data', 'there are no views');
  end
  if numel (words) ~= 1 && numel (words) ~= p
    error ('onefold:usage', 'there are %d kernels for %d views', numel (words), p);
  end
  stacked = cellfun (@(v) ndims (v) == 3, views);
  kernels = stacked | strcmp (words, 'precomputed');
  for i = 1:p
    bad = ~(isnumeric (views{i}) || islogical (views{i})) || ~isreal (views{i}) ...
      || ndims (views{i}) > 2 + stacked(i);
    if bad
      error ('onefold:bad_data', 'view %d is %s; a real matrix is needed', i, class (views{i}));
    end
    if stacked(i) && p > 1
      error ('onefold:bad_data', 'an array of kernels is given alone');
    end
  end
  if isfield (request, 'names')
    names = request.names;
  else
    names = arrayfun (@(i) sprintf ('view %d', i), 1:p, 'UniformOutput', false);
  end
  [sides, samples] = onefold_sides (views, request, kernels);
  for i = find (cellfun (@issparse, views))
    if kernels(i)
      views{i} = full (views{i});
    else
      views{i} = double (views{i}); % a sparse logical
      if ~sides(i)
        views{i} = views{i}.';
        sides(i) = 1;
      end
    end
  end
  if isfield (request, 'present') && ~isempty (request.present)
    request.present = uint8 (request.present ~= 0).';
  end
  if ~all (kernels) && ~(numel (words) == 1 && strcmp (words{1}, 'auto'))
    request.options.kernel = strjoin (words, ',');
  end
  if isfield (request, 'units')
    if ~iscell (request.units) || numel (request.units) ~= p
      error ('onefold:usage', 'Units is a cell with an entry for each view, empty where it has none');
    end
    request.units = cellfun (@(u) uint32 (u(:).'), request.units(:).', 'UniformOutput', false);
  end
  request.views = views;
  request.names = names;
  request.sides = double (sides);
  request.kernels = double (kernels);
  request.samples = samples;
end
