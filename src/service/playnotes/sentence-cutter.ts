// The gateway's sentence rules for what script/ needs: whole sentences. The segmenter splits long ones at clauses, so
// that speech can start; here these parts are joined again.

import type { SentenceCutter } from '../../script/source-sentence.ts';
import { segmentText } from '../../text/segment.ts';
import { wholeTextSegments } from '../../text/turn-text.ts';

export const cutSentences: SentenceCutter = (text, language) => {
  const sentences: string[] = [];
  let open = '';
  for (const segment of wholeTextSegments(text, { language, markup: 'keep' })) {
    open += segmentText(segment);
    if (segment.boundary === 'clause' || segment.boundary === 'words') continue;
    sentences.push(open);
    open = '';
  }
  if (open !== '') sentences.push(open);
  return sentences;
};
