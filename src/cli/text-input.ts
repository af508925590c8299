// The text of a file or of standard input, for the commands that speak one: decoded and refused in one way for all of them.

import { basename } from 'node:path';
import { AppError } from '../base/app-error.ts';
import { decodeDocument } from '../reading/decode-text.ts';
import { fileTooLarge } from '../reading/invalid-source.ts';
import { readSpoken, type SpokenText } from '../reading/read-spoken.ts';
import { READING_LIMITS } from '../reading/reading-limits.ts';
import { mayBeJson, sniffKind } from '../reading/sniff-kind.ts';
import { type Terminal, UsageError } from './command.ts';
import { readAllInput, readInputFile } from './input/read-input.ts';
import { STANDARD } from './output/file-endings.ts';
import { passInterruptOn, systemWords } from './output/system-words.ts';

export type TextInput = AsyncIterable<string> & { destroy?(): void };

/** By then the first tag of a page has come. */
const MAX_KIND_BYTES = 64;
const FROM_INPUT = 'The text comes from standard input';

/** A UsageError that says what could not be read, and why. `what` begins the sentence: `FILE is "x"`. */
function unreadable(what: string, error: unknown): UsageError {
  const reason = error instanceof AppError ? error.message : systemWords(error);
  return new UsageError(`${what}, which cannot be read: ${reason}`);
}

type Inputs = Pick<Terminal, 'input' | 'interrupted'>;

/**
 * The text of a document of any kind that is read, of standard input for `-`. `flag` names the file's place in the command.
 * Throws a UsageError.
 */
export async function readTextFile(terminal: Inputs, flag: string, path: string): Promise<SpokenText> {
  try {
    // A document of standard input has no name.
    return await readSpoken(
      await readInputFile(terminal, path),
      path === STANDARD ? undefined : basename(path),
    );
  } catch (error) {
    passInterruptOn(error);
    throw unreadable(path === STANDARD ? FROM_INPUT : `${flag} is ${JSON.stringify(path)}`, error);
  }
}

/** All of standard input, a document of any kind that is read. Throws a UsageError. */
export async function readWholeInput(terminal: Inputs): Promise<string> {
  return readHeld([await readAllInput(terminal)]);
}

async function readHeld(chunks: readonly Uint8Array[]): Promise<string> {
  try {
    return (await readSpoken(Buffer.concat(chunks), undefined)).text;
  } catch (error) {
    throw unreadable(FROM_INPUT, error);
  }
}

/**
 * Standard input as text while it comes, as long as it is UTF-8. What is not a text, or is one in another encoding, is taken
 * whole first, because only the whole tells what it says. Throws a UsageError.
 */
export function textOfInput(input: Terminal['input']): TextInput {
  return { [Symbol.asyncIterator]: () => textWhileItComes(input), destroy: () => input.destroy?.() };
}

async function* textWhileItComes(input: Terminal['input']): AsyncGenerator<string> {
  /** `rest`: of what began as plain letters, and is to be told whole from there. */
  let state: 'first' | 'ascii' | 'utf-8' | 'rest' | 'whole' = 'first';
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of input) {
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes > READING_LIMITS.fileBytes)
      throw unreadable(FROM_INPUT, fileTooLarge(READING_LIMITS.fileBytes));
    if (state === 'whole' || state === 'rest' || heldBytes === 0) continue;
    const bytes = Buffer.concat(held);
    if (state === 'first' && mayBecomeDocument(bytes)) continue;
    if (state === 'first' && !isPlain(bytes)) {
      state = 'whole';
      continue;
    }
    const end = lastWhole(bytes);
    const text = utf8Of(bytes.subarray(0, end));
    if (text === undefined && state !== 'utf-8') {
      state = state === 'first' ? 'whole' : 'rest';
      continue;
    }
    // Once its characters have come as UTF-8 it is that, and what is damaged of it is left out.
    if (end > 0) yield text ?? new TextDecoder().decode(bytes.subarray(0, end)).replaceAll('\ufffd', '');
    if (text !== undefined && /[^\0-\x7f]/.test(text)) state = 'utf-8';
    else if (state === 'first' && end > 0) state = 'ascii';
    held = [bytes.subarray(end)];
    heldBytes = bytes.length - end;
  }
  if (heldBytes === 0 || state === 'utf-8') return;
  yield state === 'first' || state === 'whole' ? await readHeld(held) : decodeRest(held);
}

function decodeRest(held: readonly Uint8Array[]): string {
  try {
    return decodeDocument(Buffer.concat(held));
  } catch (error) {
    throw unreadable(FROM_INPUT, error);
  }
}

/** As far as the first times of subtitles: the number of a cue, or what WebVTT begins with. */
const MAY_BE_SUBTITLES = /^\s*(?:W|WE|WEB|WEBV|WEBVT|WEBVTT[^>]*|\d{1,6}\s*(?:\n[\d:.,\s-]*)?)$/;

/** Whether it is the beginning of a document whose kind cannot be told yet: of a PDF, an archive, a page or subtitles. */
function mayBecomeDocument(bytes: Buffer): boolean {
  if (bytes.length >= MAX_KIND_BYTES) return false;
  const head = bytes.toString('latin1');
  return (
    ['%PDF-', 'PK\x03\x04'].some((mark) => mark.startsWith(head)) ||
    /^\s*<[^>]*$/.test(head) ||
    MAY_BE_SUBTITLES.test(head)
  );
}

/** Whether it is text that can be spoken while it comes. */
function isPlain(bytes: Buffer): boolean {
  try {
    const kind = sniffKind(bytes, undefined);
    const isUnicode = bytes[0] !== 0xff && bytes[0] !== 0xfe && !bytes.includes(0);
    const isText = kind === 'text' || kind === 'markdown';
    return isText && isUnicode && !mayBeJson(bytes.toString('latin1', 0, MAX_KIND_BYTES));
  } catch {
    // What it is refused for is told when all of it is there.
    return false;
  }
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Where the last character begins if it is not whole; else the length. A character of UTF-8 has at most four bytes. */
function lastWhole(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= 0 && at >= bytes.length - 3; at--) {
    const byte = bytes[at]!;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return at + length > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}
