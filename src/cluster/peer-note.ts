// What one process of ours says of a request that it passes on to another, in a header that callers' own never reach; and
// how the other knows that it is from one of ours.

import { digestKey, isKey } from '../access/bearer-key.ts';

/** Headers by which one process describes a request that it passes on to another; from callers they are removed. */
export const PEER_HEADER = 'x-voxgate-peer';

export type PeerNote = {
  /** The address of the caller, from its socket. */
  readonly address: string;
  readonly scheme: 'http' | 'https';
  /** A request without `Host` got one on the way; of several only the first came along. */
  readonly hosts: 'named' | 'none' | 'several';
};

/** As they are in the request line. */
export type NotedRequest = { readonly method: string; readonly path: string };

export type NoteStamp = {
  /** The header of a request to one neighbour; `body`: what is sent with it, where it is known beforehand. */
  stamp(note: PeerNote, request: NotedRequest, body?: Uint8Array): string;
};

export type ReadNote = PeerNote & {
  /** Whether these bytes are the body that the note was written for. */
  readonly isBody: (bytes: Uint8Array) => boolean;
};

export type NoteReader = {
  /** Undefined: the note is not from one of ours, or not for this request. */
  read(header: string, request: NotedRequest): ReadNote | undefined;
};

export const schemeIn = (text: string | undefined): PeerNote['scheme'] =>
  text === 'https' ? 'https' : 'http';
export const hostsIn = (text: string | undefined): PeerNote['hosts'] =>
  text === 'none' || text === 'several' ? text : 'named';

/** Between processes of one machine, over sockets in a folder of ours: the secret itself. */
export function createSecretNotes(secret: string): NoteStamp & NoteReader {
  const digest = digestKey(secret);
  return {
    stamp: ({ scheme, hosts, address }) => [secret, scheme, hosts, address].join(' '),
    read(header) {
      const [given = '', scheme, hosts, address = ''] = header.split(' ');
      if (!isKey(given, digest)) return undefined;
      return { address, scheme: schemeIn(scheme), hosts: hostsIn(hosts), isBody: () => true };
    },
  };
}
