% SPDX-License-Identifier: Apache-2.0
function [views, truth, info] = onefold_read (paths, varargin)
% ONEFOLD_READ  Read views and true labels from files, as the command does.
%
%   [views, truth, info] = onefold_read (paths, 'SamplesAre', 'rows', 'Views', '1,2', ...)
%
% paths is one container (.mat, .npz) or a cell with one file for each view (.npy, .csv, .mtx, ...).
% views is a cell of matrices with samples as rows; truth holds numbers from 1, or is empty; info has
% names, columns (the names of each view's columns), units (which columns are one category, for the
% option 'Units' of onefold), notes (what was found and why), assumptions (notes to check;
% each is also a warning onefold:assumed), present (samples x views) and kernel
% (which views are kernels).
%
% Options are those of the command: 'SamplesAre', 'Views', 'Truth' (a variable or a file), 'NoTruth',
% 'Present' (a file), 'Impute', 'Ids', 'Match' ('ids' or 'order'), 'Header' ('yes' or 'no'); for tables
% 'Drop', 'Columns', 'AsCategory' and 'AsNumber', each a text with commas, or a cell of names or of
% numbers from 1. 'Expected', the names of the columns of a fit (info.columns), gives the categories of
% new samples the same columns.
%
% See also onefold
%
% >> path = [tempname() '.csv'];
% >> csvwrite (path, magic (4));
% >> views = onefold_read (path, 'SamplesAre', 'rows');
% >> isequal (views{1}, magic (4))
% ans = 1
  if ischar (paths)
    paths = {paths};
  end
  request = struct ('paths', {paths});
  names = {'samples_are', 'views', 'truth', 'no_truth', 'present', 'impute', 'ids', 'match', ...
    'header', 'drop', 'columns', 'as_category', 'as_number', 'expected', 'threads'};
  for i = 1:2:numel (varargin)
    found = strcmpi (strrep (names, '_', ''), strrep (varargin{i}, '_', ''));
    if ~any (found)
      error ('onefold:usage', 'there is no option ''%s''; there are %s', varargin{i}, ...
        strjoin (names, ', '));
    end
    request.(names{found}) = varargin{i + 1};
  end
  for name = {'views', 'ids', 'drop', 'columns', 'as_category', 'as_number'}
    if isfield (request, name{1})
      request.(name{1}) = listed (request.(name{1}));
    end
  end
  if isfield (request, 'expected')
    request.expected = flat (request.expected);
  end
  info = onefold_mex ('read', request);
  for i = 1:numel (info.assumptions)
    warning ('onefold:assumed', '%s', info.assumptions{i});
  end
  views = info.views;
  for i = find (info.sparse)
    views{i} = views{i}.';
  end
  truth = info.truth;
  info = rmfield (info, {'views', 'truth', 'sparse'});
end

function text = listed (columns)
% Columns by name or number with commas between them.
  if isnumeric (columns)
    columns = num2cell (columns);
  end
  if iscell (columns)
    words = cellfun (@(c) num2str (c), columns, 'UniformOutput', false);
    if any (cellfun (@(w) any (w == ','), words))
      error ('onefold:usage', 'a column with a comma in its name is given by its number, from 1');
    end
    columns = strjoin (words(:).', ',');
  end
  text = columns;
end

function names = flat (names)
% One list of texts of cells of them.
  if ~iscell (names)
    names = {names};
  end
  names = names(:).';
  nested = cellfun (@iscell, names);
  if any (nested)
    parts = cellfun (@flat, names(:).', 'UniformOutput', false);
    names = [parts{:}];
  end
end
