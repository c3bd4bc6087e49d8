import { expect, test } from 'vitest';
import { commonHeaders } from './common-headers.ts';

test('[H22] browsers stay with TLS where a service has it', () => {
  const tls = { certFile: 'cert.pem', keyFile: 'key.pem' };
  for (const corsOrigins of ['*', ['https://a.example']] as const) {
    for (const isRead of [false, true]) {
      const written = (options: Parameters<typeof commonHeaders>[0]) =>
        commonHeaders(options)(isRead, 'https://a.example').split('\r\n');
      expect(written({ corsOrigins, tls })).toContain(
        'Strict-Transport-Security: max-age=15768000',
      );
      expect(written({ corsOrigins }).join()).not.toContain('Strict-Transport-Security');
    }
  }
});
