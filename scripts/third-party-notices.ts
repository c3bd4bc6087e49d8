import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Build tools of which the built files contain code: the runtime library of the kernel's language. */
const COMPILED_IN = ['node_modules/assemblyscript'];
/** Build tools that a bundle contains code of, by the prefix of the modules that they make up. */
const BUNDLER_MODULE = /^\0(vite|rolldown)\b/;
const LICENCE_FILE = /^(licen[cs]e|notice|copying|copyright)|\.licen[cs]e\.txt$/i;
/** Where a package keeps code of others that its binary contains. */
const CODE_OF_OTHERS = 'dependencies';
/** What a package leaves out about what it contains. */
const ADDED: Readonly<Record<string, string>> = {
  '@napi-rs/canvas': `The binary of this package contains Skia and, for it, FreeType, HarfBuzz, ICU, Expat, Brotli, zlib, libpng,
libjpeg-turbo, libwebp, libavif, libaom and libjxl, and Rust crates under MIT, Apache-2.0, BSD, ISC, Zlib and MPL-2.0. The
file sbom.cdx.json beside the binary lists them all with versions, licences and sources.

Skia: Copyright (c) 2011 Google Inc. All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met:

  * Redistributions of source code must retain the above copyright notice, this list of conditions and the following
    disclaimer.
  * Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
    disclaimer in the documentation and/or other materials provided with the distribution.
  * Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote
    products derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN
CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

Portions of this software are copyright (c) The FreeType Project (www.freetype.org). All rights reserved.
This software is based in part on the work of the Independent JPEG Group.`,
  'uWebSockets.js': `The binaries in this package are those of uWebSockets.js, which Alex Hultman and contributors
hold the copyright of, under the Apache License 2.0. Its text is below, at assemblyscript.`,
};
/** The licence of a bundler itself ends where those of what its own package bundles begin. */
const BUNDLED_BY_TOOL = /^# Licenses of bundled dependencies$/m;
const RULE = '-'.repeat(80);

/** A package in package-lock.json, by its folder from the root of the project. */
interface LockedPackage {
  version?: string;
  license?: string;
  /** Only for development. */
  dev?: boolean;
  /** In the project itself: a workspace. */
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

type Lock = Readonly<Record<string, LockedPackage>>;

/** A package of others that the project hands on. */
export interface ShippedPackage {
  name: string;
  version: string;
  /** As the package declares it; an SPDX expression. */
  licence: string;
  /** What contains it. */
  parts: readonly string[];
  author: string;
  /** Its licences and notices; empty if it has none. */
  texts: readonly string[];
}

/**
 * The packages that the pages contain and that a node runs, with what their licences demand to be
 * handed on with them.
 * @param root of the project, with `node_modules` as `npm ci` leaves it
 * @param modules ids of all modules of the pages, as the bundler names them
 */
export function shippedPackages(root: string, modules: Iterable<string>): ShippedPackage[] {
  const lock = readLock(root);
  const parts = new Map<string, string[]>();
  const add = (folder: string, part: string) =>
    parts.set(folder, [...(parts.get(folder) ?? []), part]);
  for (const folder of new Set(foldersOf(root, modules))) add(folder, 'the pages');
  for (const folder of installedIn(root, lock)) add(folder, 'the node');
  for (const folder of COMPILED_IN) add(folder, 'the kernel');
  return [...parts]
    .map(([folder, of]) => shippedPackage(root, lock, folder, of))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The text of the file that goes along with the pages and the node. */
export function noticesText(packages: readonly ShippedPackage[]): string {
  const head = [
    'THIRD-PARTY NOTICES',
    '',
    'This project is under the MIT licence, see LICENSE. Its pages, its kernel and its node contain',
    'or use the following packages of others, each under its own licence.',
  ];
  const blocks = packages.map(({ name, version, licence, parts, author, texts }) => {
    const title = `${name} ${version}\nLicence: ${licence}. Part of: ${parts.join(', ')}.`;
    const missing = `The package declares this licence without its text. Author: ${author}.`;
    const all = texts.length > 0 ? texts : [missing];
    return [`${RULE}\n${title}`, ...(ADDED[name] ? [ADDED[name]] : []), ...all].join('\n\n');
  });
  return `${[head.join('\n'), ...blocks].join('\n\n')}\n`;
}

function readLock(root: string): Lock {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  return (JSON.parse(text) as { packages: Lock }).packages;
}

/** Folders of the packages that modules belong to. */
function foldersOf(root: string, modules: Iterable<string>): string[] {
  return [...modules].flatMap((id) => {
    const [, tool] = BUNDLER_MODULE.exec(id) ?? [];
    if (tool !== undefined) return [`node_modules/${tool}`];
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
    return folder?.startsWith(root) ? [folder.slice(root.length).replace(/^\//, '')] : [];
  });
}

/** Folders of what `npm ci --omit=dev` leaves on this machine. */
function installedIn(root: string, lock: Lock): string[] {
  return Object.entries(lock)
    .filter(([folder, { dev, link }]) => folder.startsWith('node_modules/') && !dev && !link)
    .map(([folder]) => folder)
    .filter((folder) => entriesOf(join(root, folder)).length > 0);
}

function shippedPackage(
  root: string,
  lock: Lock,
  folder: string,
  parts: readonly string[],
): ShippedPackage {
  const { version = '', license = 'unknown' } = lock[folder] ?? {};
  const name = nameOf(folder);
  const sources = [folder, ...binariesOf(root, folder), ...wholesOf(lock, name)];
  const texts = sources
    .map((source) => textsIn(join(root, source)))
    .find(({ length }) => length > 0);
  const author = authorOf(join(root, folder));
  return { name, version, licence: license, parts, author, texts: texts ?? [] };
}

function authorOf(folder: string): string {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { author } = JSON.parse(text) as { author?: string | { name?: string } };
  return (typeof author === 'object' ? author.name : author) || 'not named';
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** What a package installed inside itself: `node` has its binary and its licence there. */
function binariesOf(root: string, folder: string): string[] {
  const inner = join(folder, 'node_modules');
  const prefix = `${nameOf(folder)}-`;
  return entriesOf(join(root, inner))
    .filter((name) => name.startsWith(prefix) && name !== `${prefix}bin-setup`)
    .map((name) => join(inner, name));
}

/** Packages that a package is the binary of, for one platform: they have its licence. */
function wholesOf(lock: Lock, name: string): string[] {
  return Object.entries(lock)
    .filter(([, { optionalDependencies }]) => optionalDependencies?.[name] !== undefined)
    .map(([folder]) => folder);
}

/** All licences and notices of a package, those of code of others that it contains too, each once. */
function textsIn(folder: string): string[] {
  const inner = entriesOf(join(folder, CODE_OF_OTHERS), true);
  const files = [...entriesOf(folder), ...inner.map((path) => join(CODE_OF_OTHERS, path))]
    .filter((path) => LICENCE_FILE.test(basename(path)))
    .toSorted();
  const texts = files.map((path) => readFileSync(join(folder, path), 'utf8'));
  return [...new Set(texts.map((text) => text.split(BUNDLED_BY_TOOL)[0]?.trim() ?? ''))];
}

function entriesOf(folder: string, recursive = false): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}
