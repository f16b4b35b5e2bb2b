% SPDX-License-Identifier: Apache-2.0
function [scores, row] = onefold_score (labels, truth)
% ONEFOLD_SCORE  Compare labels with the truth: ACC, NMI, purity, ARI, F.
%
%   [scores, row] = onefold_score (labels, truth)
%
% scores has the fields acc (under the best matching of labels), nmi (over the larger entropy),
% purity, ari, f, precision, recall (over pairs), nmi_sum and nmi_sqrt; row is [acc nmi purity ari f].
% Labels are numbers, or a cell of texts; only the grouping matters.
%
% See also onefold
%
% >> scores = onefold_score ([1 1 2 2], [5 5 3 5]);
% >> scores.acc
% ans = 0.7500
% >> scores.purity
% ans = 0.7500
  if numel (labels) ~= numel (truth)
    error ('onefold:usage', 'there are %d labels and %d true ones', numel (labels), numel (truth));
  end
  scores = onefold_mex ('score', struct ('labels', codes (labels), 'truth', codes (truth)));
  row = [scores.acc, scores.nmi, scores.purity, scores.ari, scores.f];
end

function numbers = codes (labels)
  if ~iscell (labels) && any (isnan (double (labels(:))))
    error ('onefold:bad_data', 'labels are missing (NaN)');
  end
  if ~iscell (labels)
    labels = full (labels(:));
  end
  [~, ~, numbers] = unique (labels);
  numbers = int64 (numbers(:));
end
