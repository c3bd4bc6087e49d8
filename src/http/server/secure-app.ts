import type { Config } from '../../config.ts';

/** Names of files, as the library takes them. */
interface TlsFiles {
  cert_file_name: string;
  key_file_name: string;
}

/** An app of the library that serves TLS. Throws if it cannot use certificate or key. */
export function secureApp<App>(
  name: string,
  { certFile, keyFile }: NonNullable<Config['tls']>,
  make: (files: TlsFiles) => App,
): App {
  try {
    return make({ cert_file_name: certFile, key_file_name: keyFile });
  } catch (cause) {
    throw new Error(`${name}: cannot use certificate ${certFile} with key ${keyFile}`, { cause });
  }
}
