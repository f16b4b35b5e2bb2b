% SPDX-License-Identifier: Apache-2.0
function [labels, found] = onefold_predict (info, views, varargin)
% ONEFOLD_PREDICT  Label new samples with the model of a fit.
%
%   [labels, found] = onefold_predict (info, views, ...)
%
% info is the second output of onefold, or its field model. views are those of the fit, in the same
% order and with the same number of columns; a kernel is new samples x training samples. found has the
% fields confidence, distance (from the training samples) and embedding. Options: 'SamplesAre' ('rows'
% by default), 'Present', 'Threads'.
%
% See also onefold
%
% >> Y = [ones(20, 1); 2 * ones(20, 1)];
% >> E = 5 * eye (2);
% >> X = {E(Y, :) + sin(1:40)' * cos(1:2), E(Y, [2 1 2]) + cos(1:40)' * sin(1:3)};
% >> [labels, info] = onefold (X, 2, 'Method', 'os-lfmvc-cs');
% >> new = onefold_predict (info, {X{1}(1:5, :), X{2}(1:5, :)});
% >> isequal (new, labels(1:5))
% ans = 1
  model = info;
  if isstruct (info)
    model = info.model;
  end
  if isempty (model)
    error ('onefold:unsupported', 'the fit keeps no model: its method has none, or ''Model'' was false');
  end
  if ~iscell (views)
    views = {views};
  end
  if ~any (cellfun (@(o) ischar (o) && strcmpi (strrep (o, '_', ''), 'samplesare'), varargin))
    varargin = [varargin, {'SamplesAre', 'rows'}];
  end
  request = onefold_request (views, varargin, {});
  request.bytes = model;
  found = onefold_mex ('predict', request);
  labels = found.labels;
  found = rmfield (found, 'labels');
end
