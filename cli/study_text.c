/* SPDX-License-Identifier: Apache-2.0 */
/* The paragraph on methods of a study in LaTeX, the BibTeX of what was run, and the document. */
#include "study.h"

#include <string.h>

/* ---- what can be cited ----------------------------------------------------------------------- */

static const struct {
    const char *of; /* a method, or a test */
    const char *key, *entry;
} works[] = {
    {"os-lfmvc-cs", "ou2024onestep",
     "@misc{ou2024onestep,\n"
     "  author = {Ou, Qiyuan and Zhang, Pei and Zhou, Sihang and Zhu, En},\n"
     "  title = {One-Step Late Fusion Multi-view Clustering with Compressed Subspace},\n"
     "  note = {arXiv:2401.01558},\n  year = {2024}\n}\n"},
    {"mkkm", "huang2012multiple",
     "@article{huang2012multiple,\n"
     "  author = {Huang, Hsin-Chien and Chuang, Yung-Yu and Chen, Chu-Song},\n"
     "  title = {Multiple Kernel Fuzzy Clustering},\n"
     "  journal = {IEEE Transactions on Fuzzy Systems},\n"
     "  volume = {20},\n  number = {1},\n  pages = {120--134},\n  year = {2012},\n"
     "  doi = {10.1109/TFUZZ.2011.2170175}\n}\n"},
    {"rmsc", "xia2014robust",
     "@inproceedings{xia2014robust,\n"
     "  author = {Xia, Rongkai and Pan, Yan and Du, Lei and Yin, Jian},\n"
     "  title = {Robust Multi-view Spectral Clustering via Low-rank and Sparse Decomposition},\n"
     "  booktitle = {AAAI Conference on Artificial Intelligence},\n  year = {2014}\n}\n"},
    {"fmkkm", "zhang2022fusion",
     "@inproceedings{zhang2022fusion,\n"
     "  author = {Zhang, Yi and Liu, Xinwang and Liu, Jiyuan and Dai, Sisi and Zhang, Changwang "
     "and "
     "Xu, Kai and Zhu, En},\n"
     "  title = {Fusion Multiple Kernel K-means},\n"
     "  booktitle = {AAAI Conference on Artificial Intelligence},\n  year = {2022},\n"
     "  doi = {10.1609/aaai.v36i8.20896}\n}\n"},
    {"fmr", "li2019flexible",
     "@inproceedings{li2019flexible,\n"
     "  author = {Li, Ruihuang and Zhang, Changqing and Hu, Qinghua and Zhu, Pengfei and Wang, "
     "Zheng},\n"
     "  title = {Flexible Multi-view Representation Learning for Subspace Clustering},\n"
     "  booktitle = {International Joint Conference on Artificial Intelligence},\n"
     "  pages = {2916--2922},\n  year = {2019},\n  doi = {10.24963/ijcai.2019/404}\n}\n"},
    {"lsgmc", "lan2023multiview",
     "@article{lan2023multiview,\n"
     "  author = {Lan, Wei and Yang, Tianchuan and Chen, Qingfeng and Zhang, Shichao and Dong, Yi "
     "and Zhou, Huiyu and Pan, Yi},\n"
     "  title = {Multiview Subspace Clustering via Low-Rank Symmetric Affinity Graph},\n"
     "  journal = {IEEE Transactions on Neural Networks and Learning Systems},\n"
     "  year = {2023}\n}\n"},
    {"tests", "demsar2006statistical",
     "@article{demsar2006statistical,\n"
     "  author = {Dem{\\v{s}}ar, Janez},\n"
     "  title = {Statistical Comparisons of Classifiers over Multiple Data Sets},\n"
     "  journal = {Journal of Machine Learning Research},\n"
     "  volume = {7},\n  pages = {1--30},\n  year = {2006}\n}\n"},
    {"tests", "wilcoxon1945individual",
     "@article{wilcoxon1945individual,\n"
     "  author = {Wilcoxon, Frank},\n"
     "  title = {Individual Comparisons by Ranking Methods},\n"
     "  journal = {Biometrics Bulletin},\n"
     "  volume = {1},\n  number = {6},\n  pages = {80--83},\n  year = {1945}\n}\n"},
    {"tests", "holm1979simple",
     "@article{holm1979simple,\n"
     "  author = {Holm, Sture},\n"
     "  title = {A Simple Sequentially Rejective Multiple Test Procedure},\n"
     "  journal = {Scandinavian Journal of Statistics},\n"
     "  volume = {6},\n  number = {2},\n  pages = {65--70},\n  year = {1979}\n}\n"},
    {"tests", "friedman1937use",
     "@article{friedman1937use,\n"
     "  author = {Friedman, Milton},\n"
     "  title = {The Use of Ranks to Avoid the Assumption of Normality Implicit in the Analysis "
     "of Variance},\n"
     "  journal = {Journal of the American Statistical Association},\n"
     "  volume = {32},\n  number = {200},\n  pages = {675--701},\n  year = {1937}\n}\n"},
    {"plusplus", "arthur2007kmeans",
     "@inproceedings{arthur2007kmeans,\n"
     "  author = {Arthur, David and Vassilvitskii, Sergei},\n"
     "  title = {k-means++: The Advantages of Careful Seeding},\n"
     "  booktitle = {ACM-SIAM Symposium on Discrete Algorithms},\n"
     "  pages = {1027--1035},\n  year = {2007}\n}\n"},
};
enum { WORKS = sizeof works / sizeof *works };

static int uses(const cli_study *study, const char *of)
{
    if (strcmp(of, "tests") == 0)
        return (study->wanted & ONEFOLD_WANT_TESTS) != 0;
    if (strcmp(of, "plusplus") == 0)
        return study->kmeans_start == ONEFOLD_KMEANS_PLUSPLUS;
    for (size_t m = 0; m < study->methods; m++)
        if (strcmp(study->method[m].name, of) == 0)
            return 1;
    return 0;
}

/* The key of a BibTeX entry: what is between its brace and its comma. */
static size_t key_of(const char *entry, const char **key)
{
    const char *brace = strchr(entry, '{');
    *key = brace ? brace + 1 : entry;
    return strcspn(*key, ",} \n");
}

static void cite(const cli_study *study, const char *of, FILE *out)
{
    int first = 1;
    for (size_t i = 0; i < WORKS; i++)
        if (strcmp(works[i].of, of) == 0) {
            fprintf(out, "%s%s", first ? "~\\cite{" : ",", works[i].key);
            first = 0;
        }
    for (size_t m = 0; m < study->methods; m++) {
        const onefold_study_other *other = study->method[m].other;
        const char *key;
        if (!other || !other->cite || strcmp(study->method[m].name, of) != 0)
            continue;
        int length = (int)key_of(other->cite, &key);
        fprintf(out, "%s%.*s", first ? "~\\cite{" : ",", length, key);
        first = 0;
    }
    fputs(first ? "" : "}", out);
}

void cli_study_bibtex(const cli_study *study, FILE *out)
{
    fprintf(out,
            "@misc{onefold,\n  author = {{The Onefold developers}},\n  title = {Onefold},\n"
            "  note = {Version %s},\n  year = {2026}\n}\n",
            onefold_version());
    for (size_t i = 0; i < WORKS; i++)
        if (uses(study, works[i].of))
            fprintf(out, "\n%s", works[i].entry);
    for (size_t m = 0; m < study->methods; m++)
        if (study->method[m].other && study->method[m].other->cite)
            fprintf(out, "\n%s\n", study->method[m].other->cite);
}

/* ---- the paragraph -------------------------------------------------------------------------- */

/* The names of methods for which `ours` (not NULL: what they draw) is equal, with citations. */
static size_t put_methods(const cli_study *study, const char *drawn, FILE *out)
{
    size_t count = 0;
    for (size_t m = 0; m < study->methods; m++) {
        const char *its = study->method[m].drawn;
        if (!its != !drawn || (its && strcmp(its, drawn) != 0))
            continue;
        fputs(count++ ? ", " : "", out);
        cli_latex_text(out, study->method[m].name);
        cite(study, study->method[m].name, out);
    }
    return count;
}

void cli_study_methods(const cli_study *study, FILE *out)
{
    fprintf(out, "All methods were run by Onefold %s~\\cite{onefold} on %zu data set%s: ",
            onefold_version(), study->sets, study->sets == 1 ? "" : "s");
    int given = 0; /* other numbers of clusters than of classes */
    for (size_t s = 0; s < study->sets; s++)
        given |= study->set[s].clusters != study->set[s].classes;
    for (size_t s = 0; s < study->sets; s++) {
        const cli_study_set *set = &study->set[s];
        fputs(s ? "; " : "", out);
        cli_latex_text(out, set->name);
        fprintf(out, " (%zu samples, %zu views, %zu classes, %zu clusters, kernels: ", set->samples,
                set->views, set->classes, set->clusters);
        cli_latex_text(out, set->kernels);
        fputs(")", out);
    }
    fprintf(out,
            ". The number of clusters was %s. Scores are means over %zu "
            "repeats with seeds from %llu on, with standard deviations ($n-1$); "
            "NMI is divided by the larger entropy.",
            given ? "given" : "the number of classes", study->repeats,
            (unsigned long long)study->seed);
    for (size_t m = 0; m < study->methods; m++) {
        const char *drawn = study->method[m].drawn;
        int said = 0;
        for (size_t before = 0; before < m; before++)
            said |= drawn && study->method[before].drawn &&
                    strcmp(study->method[before].drawn, drawn) == 0;
        if (!drawn || said)
            continue;
        fputs(" A repeat of ", out);
        put_methods(study, drawn, out);
        fputs(" draws ", out);
        cli_latex_text(out, drawn);
        fputs(".", out);
    }
    fprintf(out,
            " A final $k$-means has %zu replicates of at most %zu iterations, started by "
            "%s",
            study->replicates, study->kmeans_iterations,
            study->kmeans_start == ONEFOLD_KMEANS_PLUSPLUS ? "$k$-means++"
                                                           : "distinct random samples");
    if (study->kmeans_start == ONEFOLD_KMEANS_PLUSPLUS)
        cite(study, "plusplus", out);
    fputs(".", out);
    size_t others = 0;
    for (size_t m = 0; m < study->methods; m++)
        others += !study->method[m].drawn;
    if (others) {
        fputs(" Labels of ", out);
        put_methods(study, NULL, out);
        fputs(" were made by their own programs and scored in the same way.", out);
    }
    if (cli_study_grids(study))
        fputs(" Defaults use no labels. Where a result is called the best of a grid, the setting "
              "of largest mean ACC was chosen with the labels.",
              out);
    if (study->wanted & ONEFOLD_WANT_TESTS) {
        fputs(" Methods were compared over data sets by Friedman's test with Nemenyi's critical "
              "difference and by Wilcoxon's signed-rank test of pairs with Holm's correction",
              out);
        cite(study, "tests", out);
        fputs(", at the level 0.05.", out);
    }
    fputs("\n", out);
}

void cli_study_document(const char *const *figures, FILE *out)
{
    fputs("\\documentclass{article}\n"
          "\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n"
          "\\usepackage{booktabs,graphicx}\n\\usepackage[margin=25mm]{geometry}\n"
          "\\begin{document}\n\\section*{Methods}\n\\input{methods}\n",
          out);
    fputs("\\input{tables}\n", out);
    for (size_t i = 0; figures && figures[i]; i++) {
        fprintf(out,
                "\\begin{figure}[htbp]\n\\centering\n"
                "\\includegraphics[width=\\textwidth,height=0.8\\textheight,keepaspectratio]"
                "{\\detokenize{figures/%s.pdf}}\n\\caption{",
                figures[i]);
        cli_latex_text(out, figures[i]);
        fputs("}\n\\end{figure}\n", out);
        if (i % 8 == 7)
            fputs("\\clearpage\n", out);
    }
    fputs("\\clearpage\n\\bibliographystyle{plain}\n\\bibliography{references}\n\\end{document}\n",
          out);
}
