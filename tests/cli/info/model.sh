# SPDX-License-Identifier: Apache-2.0
# What is in a model.
made
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --kernel rbf,linear,cosine --model made.model -q >/dev/null
onefold info made.model
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --base nystrom --landmarks 20 --precision single --seed 5 --model made.model -q >/dev/null
onefold info made.model | grep -c "holds training samples"
onefold info made.model --json >info.json
json 'list(d)' <info.json
json '[d[k] for k in ("made_by", "samples", "clusters", "dims", "seed", "precision", "holds_samples")]' <info.json
json '{k: v for k, v in d["views"][0].items() if k != "weight"}' <info.json
json 'd["bytes"] == __import__("os").path.getsize("made.model")' <info.json
