// HAProxy before gateways of trials: each request and each connection goes to the next that is ready, with nothing sticky.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Its child process, listening at `port` of the loopback. `urls`: of the gateways; `folder`: for its configuration. */
export function startBalancer({ folder, port, urls }) {
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  option redispatch
  retries 3
  retry-on conn-failure empty-response
frontend callers
  bind 127.0.0.1:${port}
  default_backend instances
backend instances
  # What was asked of an instance that died meanwhile is asked again, where that changes nothing.
  http-request disable-l7-retry if METH_POST
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 1s fall 2
${urls.map((url, at) => `  server instance-${at} ${new URL(url).host}`).join('\n')}
`,
  );
  return spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' });
}
