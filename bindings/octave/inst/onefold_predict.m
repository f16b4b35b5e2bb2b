% SPDX-License-Identifier: Apache-2.0
function [labels, found] = onefold_predict (info, views, varargin)
% ONEFOLD_PREDICT  Label new samples with the model of a fit.
%
%   [labels, found] = onefold_predict (info, views, ...)
%
% info is what onefold gave, or its field model. views are as those of the fit, in their order and
% with as many columns; one that was a kernel takes new samples x training samples. found has the
% fields confidence, distance (from what was seen in training) and embedding. Options: 'SamplesAre'
% ('rows' unless it is given), 'Present', 'Threads'.
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
