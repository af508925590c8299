// Against a name server of the test's own, written by hand (RFC 1035 4): it answers A and AAAA from a table.

import { createSocket } from 'node:dgram';
import { afterEach, expect, it } from 'vitest';
import { createNameLookup, systemNameLookup } from '../../../src/service/fetch/name-lookup.ts';

const A = 1;
const AAAA = 28;
const NO_SUCH_NAME = 3;
const answersOf: Readonly<Record<string, Readonly<Partial<Record<number, readonly (readonly number[])[]>>>>> =
  {
    'both.example': { [A]: [[93, 184, 215, 14]], [AAAA]: [[0x26, 6, ...Array<number>(13).fill(0), 1]] },
    'four.example': {
      [A]: [
        [10, 0, 0, 1],
        [93, 184, 215, 14],
      ],
    },
    'six.example': { [AAAA]: [[...Array<number>(15).fill(0), 1]] },
  };

function reply(query: Buffer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] !== 0; at += query[at]! + 1)
    labels.push(query.subarray(at + 1, at + 1 + query[at]!).toString());
  const type = query.readUInt16BE(at + 1);
  const known = answersOf[labels.join('.')];
  const found = known?.[type] ?? [];
  const head = Buffer.from([
    query[0]!,
    query[1]!,
    0x81,
    known ? 0x80 : 0x80 | NO_SUCH_NAME,
    0,
    1,
    0,
    found.length,
    0,
    0,
    0,
    0,
  ]);
  const records = found.map((bytes) =>
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
  );
  return Buffer.concat([head, query.subarray(12, at + 5), ...records]);
}

let close = () => {};
afterEach(() => {
  close();
  close = () => {};
});

async function server(): Promise<string> {
  const socket = createSocket('udp4');
  close = () => socket.close();
  socket.on('message', (query, { port, address }) => socket.send(reply(query), port, address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return `127.0.0.1:${socket.address().port}`;
}

it('answers with the addresses of both families', async () => {
  const lookup = createNameLookup([await server()]);
  expect(await lookup('both.example')).toEqual([
    { address: '93.184.215.14', family: 4 },
    { address: '2606::1', family: 6 },
  ]);
  expect((await lookup('four.example')).map(({ address }) => address)).toEqual(['10.0.0.1', '93.184.215.14']);
  expect(await lookup('six.example')).toEqual([{ address: '::1', family: 6 }]);
});

it('rejects for a name that there is not, and asks nobody else', async () => {
  const lookup = createNameLookup([await server()]);
  await expect(lookup('none.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(lookup('localhost.localdomain')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

it('leaves localhost to the system, where that is asked', async () => {
  const found = await systemNameLookup('localhost');
  expect(found.length).toBeGreaterThan(0);
  for (const { address } of found) expect(['127.0.0.1', '::1']).toContain(address);
});
