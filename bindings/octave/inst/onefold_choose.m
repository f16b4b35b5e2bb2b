% SPDX-License-Identifier: Apache-2.0
function [k, info] = onefold_choose (views, varargin)
% ONEFOLD_CHOOSE  Suggest the number of clusters.
%
%   [k, info] = onefold_choose (views, 'Least', 2, 'Most', 10, ...)
%
% The default method compares its recipes at every number from 'Least' to 'Most'. k is the smallest number
% with nearly the most evidence, or 0 if nothing was found. info has clusters, agreement, entropy, told, chance and evidence, a row for
% each number, and reasons, a cell of sentences. Other options are those of onefold.
%
% See also onefold
%
% >> Y = [ones(30, 1); 2 * ones(30, 1); 3 * ones(30, 1)];
% >> E = 5 * eye (3);
% >> randn ('seed', 1);
% >> X = {E(Y, :) + randn(90, 3), E(Y, [3 1 2 2]) + randn(90, 4)};
% >> k = onefold_choose (X, 'Most', 5)
% k = 3
  request = onefold_request (views, varargin, {'least', 'most'});
  info = onefold_mex ('choose', request);
  k = info.suggested;
end
