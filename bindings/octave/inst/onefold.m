% SPDX-License-Identifier: Apache-2.0
function [labels, info] = onefold (views, k, varargin)
% ONEFOLD  Cluster samples described by several views.
%
%   [labels, info] = onefold (views, k, 'Method', 'mkkm', 'Kernel', 'rbf', 'Truth', Y, ...)
%
% views is a cell array of matrices of any numeric type, sparse or full. Samples are the side whose
% length all views (and Y) share, rows if they share both; 'SamplesAre', 'rows' or 'columns',
% overrides this. A sample with a row of NaN lacks the view. An n x n x p array KH holds p kernels.
%
% Labels are numbers from 1. info has the fields weights, trace, objective, confidence, agreement
% (of each view's own labels with the fused ones, NMI), embedding (a row for each sample),
% view_parts (samples x views: each view's part in a sample's label, for methods that have parts),
% scores (with 'Truth'), kernels, method, iterations, converged, seconds and model (for
% onefold_predict).
%
% Options, names in any case:
%   'Method'      'onefold' by default
%   'Kernel'      one for all views, or a cell with one for each: auto, linear, cosine, rbf, graph,
%                 laplacian, knn, subspace, precomputed
%   'Truth'       true labels, for scoring; their number may decide which side the samples are
%   'Seed'        0; the same seed gives the same labels, for any number of threads
%   'SamplesAre'  'rows' or 'columns'
%   'Present'     samples x views of zeros and ones; 1: the sample has the view
%   'Impute'      'mean' or 'median': what fills single missing values
%   'Model'       false: no model is kept
%   'Names'       a cell with the names of the views
%   'Units'       a cell with a number for each column of each view, as onefold_read gives it;
%                 columns of 0 and 1 with the same number are one category and weigh as one column
%   'Threads'     0: all cores
%   'Progress'    true: a line for each stage
% and options of the library: 'Dims', 'Anchors', 'Restarts', 'Start', 'Variant', 'Nonneg', 'Stop',
% 'Tolerance', 'MaxIterations', 'Base', 'Landmarks', 'Neighbours', 'Precision', 'Effort', 'Weights',
% 'MethodOptions'.
%
% Errors have identifiers: onefold:usage, onefold:bad_data, onefold:no_memory, onefold:io,
% onefold:unsupported, and onefold:interrupted after Ctrl-C.
%
% See also onefold_predict, onefold_choose, onefold_score, onefold_read
%
% >> Y = [ones(20, 1); 2 * ones(20, 1); 3 * ones(20, 1)];
% >> E = 5 * eye (3);
% >> X = {E(Y, :) + sin(1:60)' * cos(1:3), E(Y, [3 1 2 2]) + cos(1:60)' * sin(1:4)};
% >> [labels, info] = onefold (X, 3, 'Method', 'os-lfmvc-cs', 'Truth', Y);
% >> info.scores.acc
% ans = 1
% >> size (info.embedding)
% ans =
%    60    6
  if nargin < 2
    error ('onefold:usage', 'the views and the number of clusters are needed: onefold (views, k)');
  end
  request = onefold_request (views, varargin, {'model'});
  request.options.clusters = k;
  truth = [];
  if isfield (request, 'truth')
    truth = request.truth;
    if numel (truth) ~= request.samples
      error ('onefold:bad_data', 'there are %d true labels for %d samples', numel (truth), ...
        request.samples);
    end
  end
  info = onefold_mex ('fit', request);
  labels = info.labels;
  info = rmfield (info, 'labels');
  info.scores = [];
  if ~isempty (truth)
    info.scores = onefold_score (labels, truth);
  end
end
