% SPDX-License-Identifier: Apache-2.0
% An experiment of the usual shape, all of it by hand: load a .mat, build KH, loop over a parameter,
% 20 repeats of k-means on the embedding, the best ACC.
1;

function H = embedding_of (K, k)
  [V, D] = eig ((K + K') / 2);
  [~, order] = sort (diag (D), 'descend');
  H = V(:, order(1:k));
end

% Multiple kernel k-means (Huang, Chuang, Chen): kernels weighted by gamma squared.
function H = mkkm (KH, k)
  p = size (KH, 3);
  gamma = ones (p, 1) / p;
  last = Inf;
  for iteration = 1:50
    K = zeros (size (KH, 1));
    for i = 1:p
      K += gamma(i) ^ 2 * KH(:, :, i);
    end
    H = embedding_of (K, k);
    cost = zeros (p, 1);
    for i = 1:p
      cost(i) = trace (KH(:, :, i)) - trace (H' * KH(:, :, i) * H);
    end
    gamma = (1 ./ cost) / sum (1 ./ cost);
    objective = sum (gamma .^ 2 .* cost);
    if abs (last - objective) < 1e-4 * abs (objective)
      break;
    end
    last = objective;
  end
end

function labels = kmeans_by_hand (X, k)
  n = rows (X);
  centres = X(randperm (n, k), :);
  labels = zeros (n, 1);
  for iteration = 1:100
    [~, new] = min (sumsq (X, 2) - 2 * X * centres' + sumsq (centres, 2)', [], 2);
    if isequal (new, labels)
      break;
    end
    labels = new;
    for c = 1:k
      own = labels == c;
      if any (own)
        centres(c, :) = mean (X(own, :), 1);
      else
        centres(c, :) = X(randi (n), :);
      end
    end
  end
end

% The assignment of least cost, by shortest augmenting paths.
function to = assignment (cost)
  n = rows (cost);
  u = zeros (1, n + 1);
  v = zeros (1, n + 1);
  owner = zeros (1, n + 1);
  way = zeros (1, n + 1);
  for i = 1:n
    owner(n + 1) = i;
    at = n + 1;
    least = Inf (1, n);
    used = false (1, n + 1);
    do
      used(at) = true;
      free = find (! used(1:n));
      now = cost(owner(at), free) - u(owner(at)) - v(free);
      better = now < least(free);
      least(free(better)) = now(better);
      way(free(better)) = at;
      [step, where] = min (least(free));
      next = free(where);
      u(owner(used)) += step;
      v(used) -= step;
      least(free) -= step;
      at = next;
    until owner(at) == 0
    while at != n + 1
      owner(at) = owner(way(at));
      at = way(at);
    end
  end
  to(owner(1:n)) = 1:n;
end

function acc = accuracy (labels, truth)
  k = max ([labels; truth]);
  counts = accumarray ([labels, truth], 1, [k, k]);
  to = assignment (-counts);
  acc = sum (counts(sub2ind ([k, k], 1:k, to))) / numel (truth);
end

path = fullfile (fileparts (mfilename ('fullpath')), '..', '..', 'data', 'digits', 'digits.mat');
data = load (path);
X = {data.pixels, data.strokes, data.frequencies, data.profiles};
Y = double (data.Y(1:3:end)(:));
Y -= min (Y) - 1;
k = max (Y);
began = tic ();
best = 0;
rand ('twister', 1);
for width = [0.25 0.5 1 2]
  KH = zeros (numel (Y), numel (Y), numel (X));
  for i = 1:numel (X)
    V = double (X{i}(1:3:end, :));
    D = max (sumsq (V, 2) + sumsq (V, 2)' - 2 * V * V', 0);
    K = exp (-D / (width * mean (D(:))));
    K = K - mean (K, 1) - mean (K, 2) + mean (K(:)); % kcenter
    d = sqrt (diag (K));
    KH(:, :, i) = K ./ (d * d'); % knorm
  end
  H = mkkm (KH, k);
  H = H ./ sqrt (sumsq (H, 2));
  acc = zeros (20, 1);
  for repeat = 1:20
    acc(repeat) = accuracy (kmeans_by_hand (H, k), Y);
  end
  printf ('width %4.2f: ACC %.3f, mean %.3f\n', width, max (acc), mean (acc));
  best = max (best, max (acc));
end
printf ('best ACC %.3f, %.2f s\n', best, toc (began));
