/* Speaks each line of sentences.txt with one flite voice (-DREGISTER=register_cmu_us_slt names it) and writes N.wav
   and N.words beside it: "T<tab>token<tab>punctuation behind it" for each token, under it "W<tab>word<tab>start<tab>end"
   in seconds for each word that has phones, and "E" last, by which a reader knows that the file is whole. The times
   are those of the word's first and last segment, which is what the voice lays its sound out by. */
#include <flite/flite.h>
#include <stdio.h>
#include <string.h>

cst_voice *REGISTER(const char *voxdir);

static const char *feature_or_empty(const cst_item *item, const char *name)
{
    return item_feat_present(item, name) ? item_feat_string(item, name) : "";
}

static void write_word(FILE *out, const cst_item *word)
{
    const cst_item *in_structure = item_as(word, "SylStructure");
    const cst_item *first_syllable = in_structure ? item_daughter(in_structure) : NULL;
    const cst_item *last_syllable = in_structure ? item_last_daughter(in_structure) : NULL;
    const cst_item *first = first_syllable ? item_daughter(first_syllable) : NULL;
    const cst_item *last = last_syllable ? item_last_daughter(last_syllable) : NULL;
    if (!first || !last)
        return;
    /* A segment knows only its end; it starts where the one before it in the whole utterance ends. */
    const cst_item *before = item_prev(item_as(first, "Segment"));
    fprintf(out, "W\t%s\t%.5f\t%.5f\n", item_name(word), before ? item_feat_float(before, "end") : 0.0,
            item_feat_float(last, "end"));
}

static int write_words(const char *path, const cst_utterance *utterance)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return 0;
    const cst_item *token = relation_head(utt_relation(utterance, "Token"));
    for (; token; token = item_next(token)) {
        fprintf(out, "T\t%s%s\t%s\n", feature_or_empty(token, "prepunctuation"), item_name(token),
                feature_or_empty(token, "punc"));
        for (const cst_item *word = item_daughter(token); word; word = item_next(word))
            write_word(out, word);
    }
    fputs("E\n", out);
    return fclose(out) == 0;
}

int main(void)
{
    char line[8192], path[64];
    FILE *sentences = fopen("sentences.txt", "r");
    if (!sentences)
        return 1;
    flite_init();
    cst_voice *voice = REGISTER(NULL);
    for (int number = 0; fgets(line, sizeof line, sentences); number++) {
        line[strcspn(line, "\n")] = 0;
        cst_utterance *utterance = flite_synth_text(line, voice);
        if (!utterance)
            continue;
        snprintf(path, sizeof path, "%d.wav", number);
        cst_wave_save_riff(utt_wave(utterance), path);
        snprintf(path, sizeof path, "%d.words", number);
        if (!write_words(path, utterance))
            return 1;
        delete_utterance(utterance);
    }
    return 0;
}
