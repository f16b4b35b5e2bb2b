% SPDX-License-Identifier: Apache-2.0
% Every function of the package once, on the bundled digits; docs/octave.md shows these lines.
pkg load onefold
digits = fullfile (fileparts (mfilename ('fullpath')), '..', '..', 'data', 'digits', 'digits.mat');
[views, Y] = onefold_read (digits);                  % whatever the command reads
views = {views{1}(1:3:end, :), views{2}(1:3:end, :)};
Y = Y(1:3:end);
k = 10;
[labels, info] = onefold (views, k, 'Method', 'mkkm', 'Kernel', 'rbf', 'Truth', Y, 'Seed', 0);
[labels, info] = onefold (views, k, 'Method', 'os-lfmvc-cs');
[new, found] = onefold_predict (info, views);        % labels of new samples, by the model in info
[most, choice] = onefold_choose (views, 'Most', 12); % how many clusters
[scores, row] = onefold_score (labels, Y);           % acc, nmi, purity, ari, f
table = onefold_bench (views, Y, 'Methods', 'avg-kkm,mkkm', 'Repeats', 2); % methods compared
assert (isequal (new(:), labels(:)));
printf ('functions ran, ACC %.3f\n', scores.acc);
