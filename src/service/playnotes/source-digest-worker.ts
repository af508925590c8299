// The program of a thread that makes one digest: a book is millions of characters to cut into sentences and to rank.

import { parentPort, workerData } from 'node:worker_threads';
import { yieldToPlayback } from '../../base/processes/yield-to-playback.ts';
import { sourceDigest } from '../../script/source-digest.ts';
import type { DigestWish } from './digest-source.ts';
import { cutSentences } from './sentence-cutter.ts';

yieldToPlayback();
const { document, language, mostWords } = workerData as DigestWish;
parentPort!.postMessage(sourceDigest(document, language, cutSentences, mostWords));
