% SPDX-License-Identifier: Apache-2.0
function [views, truth, info] = onefold_read (paths, varargin)
% ONEFOLD_READ  Read views and true labels from files, as the command does.
%
%   [views, truth, info] = onefold_read (paths, 'SamplesAre', 'rows', 'Views', '1,2', ...)
%
% paths is one container (.mat, .npz) or a cell of one file for each view (.npy, .csv, .mtx, ...).
% views is a cell of matrices with samples as rows; truth holds numbers from 1, or is empty; info has
% names, notes (what was found and why), assumptions (those of the notes that should be read; each is
% a warning onefold:assumed too), present (samples x views) and kernel (which views are kernels).
% Options: 'SamplesAre', 'Views', 'Truth' (a variable or a file), 'Impute'.
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
  names = {'samples_are', 'views', 'truth', 'impute', 'threads'};
  for i = 1:2:numel (varargin)
    found = strcmpi (strrep (names, '_', ''), strrep (varargin{i}, '_', ''));
    if ~any (found)
      error ('onefold:usage', 'there is no option ''%s''; there are %s', varargin{i}, ...
        strjoin (names, ', '));
    end
    request.(names{found}) = varargin{i + 1};
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
