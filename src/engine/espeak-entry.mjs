// SPDX-License-Identifier: GPL-3.0-or-later
// @ts-check
// The eSpeak NG speech program: one JSON line in, framed PCM out (the protocol of docs/engine.md). A program of
// its own that imports nothing of Voxgate and is replaceable, because eSpeak NG is GPL and Voxgate is not.
// The same line gives the same samples, in any process and after any other line.

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const PACKAGE = '@echogarden/espeak-ng-emscripten';
/** EX_UNAVAILABLE of sysexits.h: the package is not installed, so starting again cannot help. */
const EXIT_UNAVAILABLE = 69;
/** UTF-8 bytes of one line's text. More than the warm-up below would move the binding's string buffer. */
const MAX_TEXT_BYTES = 8192;
/** Lines that may follow one another in the same memory. */
const MAX_LINES_IN_A_ROW = 200;

/**
 * What the binding tells beside the samples. Positions count the code points of the text from 1, lengths too; times
 * are milliseconds of the line's own samples.
 * @typedef {{type: string, text_position: number, word_length: number, audio_position: number}} SpeechEvent
 */

/** @param {string} kind @param {number} id @param {Uint8Array} payload */
function writeFrame(kind, id, payload) {
  const frame = Buffer.alloc(9 + payload.byteLength);
  frame.write(kind, 0, 1, 'latin1');
  frame.writeUInt32LE(id, 1);
  frame.writeUInt32LE(payload.byteLength, 5);
  frame.set(payload, 9);
  // Blocking on purpose: the reader's pace is ours, and samples leave while the sentence is still being made.
  for (let written = 0; written < frame.byteLength; ) written += writeSync(1, frame, written);
}

/** @param {unknown} message */
const bytes = (message) => Buffer.from(String(message));

async function loadModule() {
  // eSpeak seeds its noise generator from the clock when it starts.
  Date.now = () => 0;
  const loaded = await import(PACKAGE).catch((error) => {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write(`${PACKAGE} is not installed\n`);
    process.exit(EXIT_UNAVAILABLE);
  });
  return loaded.default({ print() {}, printErr() {} });
}

const BLOCK_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(BLOCK_BYTES);

/** The memory of a program that has just started is nearly all zeros: only the rest is kept, and what has stayed zero is not
 *  written again, for a page that was never written takes no room.
 *  @param {Uint8Array} memory whole blocks, which it also is when it has grown
 *  @returns {(memory: Uint8Array) => void} makes it again what it was */
function rememberMemory(memory) {
  /** @type {Map<number, Uint8Array>} */
  const kept = new Map();
  const blockOf = (/** @type {Uint8Array} */ of, /** @type {number} */ at) =>
    Buffer.from(of.buffer, of.byteOffset + at, BLOCK_BYTES);
  for (let at = 0; at < memory.length; at += BLOCK_BYTES) {
    const block = blockOf(memory, at);
    if (!block.equals(NOTHING)) kept.set(at, Buffer.from(block));
  }
  return (now) => {
    for (let at = 0; at < now.length; at += BLOCK_BYTES) {
      const block = blockOf(now, at);
      const was = kept.get(at) ?? NOTHING;
      if (!block.equals(was)) block.set(was);
    }
  };
}

async function createSpeaker() {
  const module = await loadModule();
  const worker = new module.eSpeakNGWorker();
  worker.set_voice('en-us');
  // The binding keeps one string buffer and grows it on demand; it must have its final size before the snapshot.
  worker.synthesize(`a.${' '.repeat(MAX_TEXT_BYTES)}`, () => false);
  const restore = rememberMemory(module.HEAPU8);

  /** What the program has said since it was like new: `undefined` when that is nothing.
   *  @type {{voice: string, lines: number} | undefined} */
  let since;

  /** @param {{text: string, voice: string, rate: number, pitch: number, range: number, exact?: boolean}} line
   *  @param {(samples: Int16Array) => void} emit
   *  @param {(event: SpeechEvent) => unknown} onEvent */
  const speak = (line, emit, onEvent) => {
    // Nothing that is left of earlier lines may be heard, but for whom that makes no difference.
    const goesOn = line.exact === false && since?.voice === line.voice && since.lines < MAX_LINES_IN_A_ROW;
    if (!goesOn) {
      since = undefined;
      restore(module.HEAPU8);
      if (worker.set_voice(line.voice) !== 0) throw new Error('eSpeak NG does not have this voice');
    }
    since = { voice: line.voice, lines: (since?.lines ?? 0) + 1 };
    worker.set_rate(line.rate);
    worker.set_pitch(line.pitch);
    worker.set_range(line.range);
    worker.synthesize(
      plain(line.text),
      (/** @type {Int16Array} */ samples, /** @type {SpeechEvent[]} */ events) => {
        if (samples.length > 0) emit(samples);
        for (const event of events) onEvent(event);
        return false;
      },
    );
  };
  return { speak, sampleRate: worker.samplerate };
}

/** What could command the engine: SSML, `[[phonemes]]`, control characters and halves of surrogate pairs. */
const COMMAND = /[\p{Cc}\p{Cs}&<]|\[{2,}/gu;
/** @type {Readonly<Record<string, string>>} */
const HARMLESS = { '&': '&amp;', '<': '&lt;', '[': '[' };
/** @param {string} command */
const harmless = (command) => HARMLESS[command.slice(0, 1)] ?? ' ';

/** @param {unknown} text */
function plain(text) {
  if (typeof text !== 'string') throw new Error('text must be a string');
  const escaped = text.replace(COMMAND, harmless);
  if (Buffer.byteLength(escaped) > MAX_TEXT_BYTES) throw new Error('text is too long');
  return escaped;
}

/** For each code point of `plain(text)` the one of `text` that it stands for.
 *  @param {string} text */
function placesInPlain(text) {
  /** @type {number[]} */
  const places = [];
  let place = 0;
  const copy = (/** @type {string} */ piece) => {
    for (const _ of piece) places.push(place++);
  };
  let from = 0;
  for (const { 0: command, index } of text.matchAll(COMMAND)) {
    copy(text.slice(from, index));
    for (const _ of harmless(command)) places.push(place);
    place += [...command].length;
    from = index + command.length;
  }
  copy(text.slice(from));
  return places;
}

/** The words of a line as the protocol has them: [start in ms, first code point, code points].
 *  @param {string} text @param {readonly SpeechEvent[]} events */
function toWords(text, events) {
  const places = placesInPlain(text);
  return events.flatMap(({ type, text_position, word_length, audio_position }) => {
    const start = places[text_position - 1];
    if (type !== 'word' || start === undefined) return [];
    const last = places[Math.min(text_position + word_length - 1, places.length) - 1] ?? start;
    return [[audio_position, start, word_length === 0 ? 0 : last + 1 - start]];
  });
}

// Ctrl-C reaches the whole process group, and a service manager may signal every process of a service; the end of the input is
// what ends this program, so that its owner can let its listeners hear the rest.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const { speak, sampleRate } = await createSpeaker();
writeFrame('R', 0, bytes(JSON.stringify({ sampleRate })));

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  try {
    /** @type {SpeechEvent[]} */
    const events = [];
    speak(
      line,
      (samples) =>
        writeFrame('A', line.id, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)),
      (event) => line.words === true && events.push(event),
    );
    if (line.words === true) writeFrame('W', line.id, bytes(JSON.stringify(toWords(line.text, events))));
    writeFrame('D', line.id, new Uint8Array(0));
  } catch (error) {
    writeFrame('E', line.id, bytes(error instanceof Error ? error.message : error));
  }
}
