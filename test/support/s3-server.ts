// A server with the interface of S3 of a test's own: in this process, on a free port of the loopback, in a folder that goes
// with it. Its one pair of keys is put into the environment, where the AWS SDK looks for it.

import { rmSync } from 'node:fs';
import S3rver from 's3rver';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { systemRandom } from '../../src/base/random.ts';
import type { BucketAddress } from '../../src/settings/setting.ts';
import { Bucket } from '../../src/storage/s3/bucket.ts';
import { scratchFolder } from './scratch-folder.ts';

export const S3_KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' } as const;
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

export type S3Server = {
  readonly endpoint: string;
  readonly port: number;
  /** Ends it; what it holds stays. */
  stop(): Promise<void>;
  /** Again at the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
};

export const BUCKET = 'speech-files';

export async function startS3(): Promise<S3Server> {
  Object.assign(process.env, S3_KEYS);
  const directory = scratchFolder('s3');
  let port = 0;
  let server: S3rver | undefined;
  const start = async () => {
    server = new S3rver({
      ...{ port, address: '127.0.0.1', silent: true, directory },
      configureBuckets: [{ name: BUCKET, configs: [] }],
    });
    mendLists(server.store);
    port = (await server.run()).port;
  };
  const stop = async () => {
    await server?.close();
    server = undefined;
  };
  await start();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    start,
    stop,
    async close() {
      await stop();
      rmSync(directory, { recursive: true });
    },
  };
}

/** s3rver looks into no folder whose name has the delimiter behind the prefix, so that it finds no common prefixes. */
function mendLists(store: S3rver.Store): void {
  const list = store.listObjects.bind(store);
  store.listObjects = async (bucket, options) => {
    const { delimiter, prefix = '' } = options;
    if (delimiter === undefined) return await list(bucket, options);
    const { objects } = await list(bucket, { prefix });
    const behind = objects.map(({ key }) => key.slice(prefix.length));
    const folders = behind.filter((name) => name.includes(delimiter));
    return {
      objects: objects.filter((_, at) => !behind[at]!.includes(delimiter)),
      commonPrefixes: [...new Set(folders.map((name) => prefix + name.split(delimiter)[0] + delimiter))],
      isTruncated: false,
    };
  };
}

export const bucketAt = (endpoint: string, more: Partial<BucketAddress> = {}) => ({
  address: {
    kind: 's3',
    bucket: BUCKET,
    prefix: 'voxgate/',
    endpoint,
    region: 'us-east-1',
    ...more,
  } as const,
  ...{ clock: systemClock, random: systemRandom, log: silentLog },
});

export const openTestBucket = (endpoint: string, prefix = 'voxgate/') =>
  Bucket.open({ ...bucketAt(endpoint, { prefix }), startMs: 0 });
