% SPDX-License-Identifier: Apache-2.0
function [views, truth] = made_data (samples, clusters)
% Views with well separated clusters of one size, and the truth: the same in every run.
  if nargin < 2
    samples = 150;
    clusters = 3;
  end
  state = randn ('twister');
  restore = onCleanup (@() randn ('twister', state));
  randn ('twister', 3);
  truth = mod ((0:samples - 1)', clusters) + 1;
  views = {};
  for columns = [6, 9]
    centres = 4 * randn (clusters, columns);
    views{end + 1} = centres(truth, :) + randn (samples, columns);
  end
end
