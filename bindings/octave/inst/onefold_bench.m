% SPDX-License-Identifier: Apache-2.0
function [table, best] = onefold_bench (views, truth, varargin)
% ONEFOLD_BENCH  Compare methods: the paper's experiments.
%
%   [table, best] = onefold_bench (views, truth, 'Methods', {'os-lfmvc-cs', 'mkkm'}, ...)
%
% table has a column for each field and a row for each setting of each method: method, setting, status,
% default, best and median (1 where the row is the method's default, or its setting of largest or of
% median mean ACC, which take the truth), tried and near_best (settings, and others within a standard
% error of the best), view (that all figures are of; 0: all views), repeats, acc, nmi, purity and ari
% with acc_deviation and so on, seconds of one run and its parts seconds_base, seconds_fit and
% seconds_kmeans, peak_bytes. best has the row numbers by falling ACC.
%
% Options: 'Methods' (a cell, or a text with commas; all), 'Grid' ('default', 'none', or
% 'METHOD:name=1|2;...'), 'Repeats' (20), 'Sensitivity', 'KmeansStart', 'Replicates', 'Store', and
% those of onefold.
%
% See also onefold, onefold_score
%
% >> Y = [ones(30, 1); 2 * ones(30, 1); 3 * ones(30, 1)];
% >> E = 5 * eye (3);
% >> randn ('seed', 1);
% >> X = {E(Y, :) + randn(90, 3), E(Y, [3 1 2 2]) + randn(90, 4)};
% >> table = onefold_bench (X, Y, 'Methods', 'avg-kkm', 'Repeats', 2);
% >> table.repeats
% ans = 2
  if nargin < 2
    error ('onefold:usage', 'the views and the true labels are needed: onefold_bench (views, truth)');
  end
  [~, ~, classes] = unique (truth(:));
  request = onefold_request (views, [varargin, {'Truth', classes}], {'methods', 'grid', ...
    'repeats', 'sensitivity', 'kmeans_start', 'replicates', 'store'});
  if numel (classes) ~= request.samples
    error ('onefold:bad_data', 'there are %d true labels for %d samples', numel (classes), ...
      request.samples);
  end
  request.truth = int64 (classes);
  if isfield (request, 'methods') && iscell (request.methods)
    request.methods = strjoin (request.methods(:).', ',');
  end
  table = onefold_mex ('bench', request);
  acc = table.acc;
  acc(isnan (acc)) = -1;
  [~, best] = sort (-acc);
end
