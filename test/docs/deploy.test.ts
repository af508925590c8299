// docs/deploy.md: the health check of a container whose certificate is set in a file, by a container engine that runs nothing else.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksBy } from '../support/page-blocks.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';
import { createSelfSigned, type SelfSigned } from '../support/self-signed.ts';
import { argumentsOf } from '../support/shell-words.ts';

let tls: SelfSigned;
let gateway: RunningGateway;
beforeAll(async () => {
  tls = createSelfSigned();
  gateway = await startRunningGateway({
    env: { VOXGATE_TLS_CERT: tls.certPath, VOXGATE_TLS_KEY: tls.keyPath },
  });
});
afterAll(() => tls.remove());

describe('the health check for TLS in a config file', () => {
  it('is well while the gateway is there, and not after', async () => {
    const { text } = blocksBy('docs/deploy.md', 'test/docs/deploy.test.ts')[0]!;
    const words = argumentsOf('docker', text)[0]!;
    const command = words[words.indexOf('--health-cmd') + 1]!.replace('8080', String(gateway.port));
    const check = () => promisify(execFile)('bash', ['-c', command]);
    await check();
    await gateway.close();
    await expect(check()).rejects.toThrow();
  });
});
