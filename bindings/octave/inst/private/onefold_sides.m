% SPDX-License-Identifier: Apache-2.0
function [sides, samples] = onefold_sides (views, request, kernels)
% Which views have samples as columns (1), by the rule of the readers: the side that all views, and
% the labels, have in common; rows where nothing tells. 'SamplesAre' decides for all of them.
  p = numel (views);
  sizes = [cellfun(@(v) size (v, 1), views(:)), cellfun(@(v) size (v, 2), views(:))];
  asked = '';
  if isfield (request, 'samples_are')
    asked = lower (request.samples_are);
    if ~any (strcmp (asked, {'rows', 'columns'}))
      error ('onefold:usage', 'SamplesAre is rows or columns, not %s', asked);
    end
  end
  if ~isempty (asked)
    sides = repmat (strcmp (asked, 'columns'), 1, p) & ~kernels;
    counts = sizes(sub2ind ([p, 2], (1:p)', 1 + sides(:)));
    if any (counts ~= counts(1))
      error ('onefold:bad_data', 'the views have different numbers of samples as %s: %s', asked, ...
        num2str (counts'));
    end
    samples = counts(1);
    return;
  end
  common = unique (sizes(1, :));
  for i = 2:p
    common = intersect (common, sizes(i, :));
  end
  if isfield (request, 'truth') && ~isempty (request.truth)
    common = intersect (common, numel (request.truth));
  end
  if isempty (common)
    error ('onefold:bad_data', 'the views (and the labels) have no side in common: they are %s', ...
      strjoin (arrayfun (@(i) sprintf ('%d x %d', sizes(i, 1), sizes(i, 2)), 1:p, ...
        'UniformOutput', false), ', '));
  end
  if numel (common) > 1
    samples = sizes(1, 1);
  else
    samples = common;
  end
  sides = (sizes(:, 1) ~= samples).' & ~kernels;
  square = (sizes(:, 1) == sizes(:, 2)).' & ~kernels;
  others = sides(~square & ~kernels);
  if ~isempty (others) && all (others)
    % a square view lies as the others do; a square sparse one, a graph, stays as it is
    sides = sides | (square & ~cellfun (@issparse, views(:).'));
  end
end
