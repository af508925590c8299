// linkedom and Readability with the little of their types that is used here: their own want those of a browser.

import { createRequire } from 'node:module';

/** A node of any sort; `nodeType` tells (DOM 4.4). */
export type MarkupNode = {
  readonly nodeType: number;
  readonly textContent: string;
  readonly firstChild: MarkupNode | null;
  readonly nextSibling: MarkupNode | null;
  readonly parentNode: MarkupNode | null;
};
export const ELEMENT_NODE = 1;
export const TEXT_NODE = 3;

export type MarkupElement = MarkupNode & {
  readonly localName: string;
  readonly children: Iterable<MarkupElement>;
  getAttribute(name: string): string | null;
  querySelector(selector: string): MarkupElement | null;
  querySelectorAll(selector: string): Iterable<MarkupElement>;
  remove(): void;
};

export type MarkupDocument = MarkupElement & {
  readonly documentElement: MarkupElement | null;
  readonly body: MarkupElement;
};

type Article = {
  readonly title?: string | null;
  readonly content?: string | null;
  readonly lang?: string | null;
};

const require = createRequire(import.meta.url);

export const { parseHTML } = require('linkedom') as {
  parseHTML: (html: string) => { readonly document: MarkupDocument };
};
export const { DOMParser } = require('linkedom') as {
  DOMParser: new () => { parseFromString(xml: string, type: 'text/xml'): MarkupDocument };
};
export const { Readability } = require('@mozilla/readability') as {
  Readability: new (
    document: MarkupDocument,
    options: { maxElemsToParse: number; charThreshold: number },
  ) => { parse(): Article | null };
};
