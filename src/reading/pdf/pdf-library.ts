// pdf.js as unpdf bundles it, with the little of its types that is used here: its own want those of a browser.

import { createRequire } from 'node:module';

/** A piece of text in its page's space: points, from the bottom left. */
export type PdfTextItem = {
  readonly str: string;
  /** a, b, c, d, e, f of the text matrix (ISO 32000-1, 9.4.4): e and f are the baseline's beginning. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly fontName: string;
};

export type PdfPage = {
  streamTextContent(options: {
    includeMarkedContent: boolean;
  }): ReadableStream<{ readonly items: readonly PdfTextItem[] }>;
  cleanup(): void;
};

export type PdfDocument = {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ readonly info: { readonly Title?: unknown; readonly Language?: unknown } }>;
};

type PdfOptions = {
  readonly data: Uint8Array;
  readonly verbosity: number;
  readonly isEvalSupported: boolean;
  readonly disableFontFace: boolean;
  readonly useSystemFonts: boolean;
  readonly enableXfa: boolean;
  readonly useWorkerFetch: boolean;
};

const require = createRequire(import.meta.url);
const { getResolvedPDFJS } = require('unpdf') as {
  getResolvedPDFJS: () => Promise<{
    getDocument: (options: PdfOptions) => { readonly promise: Promise<PdfDocument> };
  }>;
};

/** pdf.js wants an array of its own: no Buffer, which it refuses, and no part of a larger one, which it would take over. */
const ownArray = (bytes: Uint8Array): Uint8Array =>
  bytes.constructor === Uint8Array && bytes.length === bytes.buffer.byteLength
    ? bytes
    : new Uint8Array(bytes);

/** Rejects for what is no PDF. `bytes` are taken over. Nothing is fetched, compiled or drawn. */
export async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  const { getDocument } = await getResolvedPDFJS();
  return getDocument({
    data: ownArray(bytes),
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    enableXfa: false,
    useWorkerFetch: false,
  }).promise;
}
