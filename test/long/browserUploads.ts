import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { closeServer, listen } from "../adapters/hosts/host.js";
import { openBrowser } from "../e2e/pages/browser.js";
import { startShop } from "../e2e/shop/shopProcess.js";
import { Consumer } from "../package/consumer.js";
import { png } from "../parts/checks/samples/images.js";
import { chromiumPath } from "../tools/engines.js";

/**
 * The recipes for pages of docs/uploads.md: `npx tsx test/long/browserUploads.ts` installs Uppy, Dropzone and FilePond, and lets a page of another origin send files with each of
 * them to the example shop, in Chromium. The descriptions and bytes of what has arrived are read again. It needs the npm registry and Chromium. Exits with 1 where one of them fails.
 */
const packages = ["@uppy/core@6.3.1", "@uppy/tus@6.0.0", "@uppy/xhr-upload@6.0.0", "dropzone@6.3.5", "filepond@4.32.12", "esbuild@0.25.12"];

const manual = readFileSync(new URL("../../docs/uploads.md", import.meta.url), "utf8");

/** The code of a recipe, with pieces so small that a sample has several. */
function recipe(name: string): string {
  const found = new RegExp(`<!-- recipe: ${name} -->\n\`\`\`js\n([^]*?)\`\`\``).exec(manual)?.[1];
  if (found === undefined) throw new Error(`docs/uploads.md has no recipe "${name}".`);
  return found.replace("chunkSize: 8_388_608", "chunkSize: 500_000").replace("chunkForce: true,", "chunkForce: true, chunkSize: 500_000,");
}

/** The script of the page: `withUppy`, `withDropzone` and `withFilePond` send files and resolve to what the library told of each. */
function pageScript(api: string): string {
  const plugins = recipe("uppy").split(/^(?=uppy\.use)/m);
  return `
import Uppy from "@uppy/core";
import Tus from "@uppy/tus";
import XHRUpload from "@uppy/xhr-upload";
import Dropzone from "dropzone";
import * as filePond from "filepond";

const api = ${JSON.stringify(api)};
const fileOf = ({ name, type, bytes }) => new File([new Uint8Array(bytes)], name, { type });

async function withUppy(plugin, samples) {
  const uppy = new Uppy();
  [${plugins
    .slice(1)
    .map((plugin) => `() => { ${plugin.trim()} }`)
    .join(", ")}][plugin]();
  for (const sample of samples) uppy.addFile({ name: sample.name, type: sample.type, data: fileOf(sample) });
  const { successful, failed } = await uppy.upload();
  return [
    ...failed.map(({ name, error }) => ({ name, error: String(error) })),
    ...successful.map(({ name, uploadURL, response }) => ({ name, uploadURL, body: response?.body })),
  ];
}

async function withDropzone(selector, samples) {
  Dropzone.autoDiscover = false;
  ${recipe("dropzone")}
  const { dropzone } = document.querySelector(selector);
  const told = [];
  const done = new Promise((resolve) => dropzone.on("queuecomplete", resolve));
  dropzone.on("success", ({ name }, body) => told.push({ name, body }));
  dropzone.on("error", ({ name }, error) => told.push({ name, error: JSON.stringify(error) }));
  for (const sample of samples) dropzone.addFile(fileOf(sample));
  await done;
  return told;
}

async function withFilePond(index, samples) {
  const ponds = [];
  const FilePond = {
    create(...given) {
      ponds.push(filePond.create(...given));
    },
  };
  ${recipe("filepond")}
  const pond = ponds[index];
  const told = [];
  pond.on("processfile", (error, { filename, serverId }) => told.push(error ? { name: filename, error: JSON.stringify(error) } : { name: filename, id: serverId }));
  const done = new Promise((resolve) => pond.on("processfiles", resolve));
  await pond.addFiles(samples.map(fileOf));
  await Promise.race([done, new Promise((resolve) => pond.on("error", resolve))]);
  window.takeBack = () => new Promise((resolve) => {
    const [{ id, serverId }] = pond.getFiles();
    pond.on("processfilerevert", () => resolve(serverId));
    pond.removeFile(id, { revert: true });
  });
  return told;
}

Object.assign(window, { withUppy, withDropzone, withFilePond });
`;
}

const markup: Readonly<Record<string, string>> = {
  "/uppy": "",
  "/dropzone": '<form class="dropzone" id="form"></form><form class="dropzone" id="several"></form><form class="dropzone" id="raw"></form>',
  "/filepond": '<input type="file" id="form" multiple><input type="file" id="pieces" multiple>',
};

interface Sample {
  readonly name: string;
  readonly type: string;
  readonly bytes: readonly number[];
}

const sample = (name: string, type: string, bytes: Uint8Array): Sample => ({ name, type, bytes: [...bytes] });
const pictures = [sample("Grüße 1.png", "image/png", png(3, 2)), sample("two.png", "image/png", png(4, 4))];
const large = sample("Übersicht.bin", "application/octet-stream", Buffer.alloc(1_500_000, "0123456789abcdef!"));
const odd = sample("odd.bin", "application/octet-stream", Buffer.alloc(1_234_567, "fedcba9876543210?"));

/** A file, as the shop describes it. */
interface Described {
  readonly id: string;
  readonly filename: string;
  readonly status: string;
  readonly sha256: string;
  readonly url: string;
}

/** What a library told of a file. */
interface Told {
  readonly name: string;
  readonly error?: string;
  readonly uploadURL?: string;
  readonly id?: string;
  readonly body?: Described & { readonly files?: readonly Described[] };
}

const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function get(address: string | URL): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} is ${response.status}.`);
  return response;
}

/** @throws {Error} unless the shop has exactly these files, with the names and the bytes that were sent */
async function requireFiles(api: string, files: readonly Described[], samples: readonly Sample[]): Promise<void> {
  if (files.length !== samples.length) throw new Error(`${files.length} files arrived; ${samples.length} were sent.`);
  for (const { name, bytes } of samples) {
    const file = files.find(({ filename }) => filename === name);
    if (file === undefined) throw new Error(`"${name}" did not arrive; there are: ${files.map(({ filename }) => filename).join(", ")}.`);
    const sha256 = sha256Of(Uint8Array.from(bytes));
    if (file.status !== "ready" || file.sha256 !== sha256) throw new Error(`"${name}" is ${file.status}, with the SHA-256 ${file.sha256}.`);
    const read = sha256Of(new Uint8Array(await (await get(new URL(file.url, api))).arrayBuffer()));
    // The shop removes metadata of pictures, of which these have none.
    if (read !== sha256) throw new Error(`"${name}" is read with other bytes.`);
  }
}

if (chromiumPath === undefined) throw new Error("Chromium was not found; set CHROMIUM_PATH.");
let script = "";
const pages = createServer((request, response) => {
  if (request.url === "/page.js") return response.writeHead(200, { "content-type": "text/javascript" }).end(script);
  const body = markup[request.url ?? ""] ?? "";
  const head = "<!doctype html><meta charset=utf-8><link rel=icon href=data:,>";
  return response.writeHead(200, { "content-type": "text/html" }).end(`${head}${body}<script src="page.js"></script>`);
});
await listen(pages);
// The same machine by another name is another origin.
const origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
const shop = await startShop("fastify", { DATA_DIR: ":memory:", CORS_ORIGINS: origin });
const api = shop.origin;
const consumer = new Consumer("module");
const browser = await openBrowser();
let failures = 0;

/** Lets a page send files, and looks for them in the shop. */
async function check(what: string, path: string, call: string, samples: readonly Sample[], more?: (page: Page) => Promise<void>) {
  const { page, complaints } = await browser.open(`${origin}${path}`);
  try {
    const told = (await page.evaluate(`${call.slice(0, -1)}, ${JSON.stringify(samples)})`)) as readonly Told[];
    const refused = told.find(({ error }) => error !== undefined);
    if (refused !== undefined) throw new Error(`${refused.name}: ${refused.error}`);
    const documents = await Promise.all(told.map((each) => describedBy(api, each)));
    const files = new Map(documents.flat().map((each) => [each.id, each]));
    await requireFiles(api, [...files.values()], samples);
    await more?.(page);
    if (complaints.length > 0) throw new Error(`The page complained: ${complaints.join("; ")}`);
    console.log(`passed  ${what}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED  ${what}: ${error instanceof Error ? error.message : String(error)} ${complaints.join("; ")}`);
  } finally {
    await page.close();
  }
}

/** The files that a library was answered with, or that are at the address which it kept. */
async function describedBy(api: string, { body, uploadURL, id }: Told): Promise<readonly Described[]> {
  if (body?.files !== undefined) return body.files;
  if (body?.id !== undefined) return [body];
  return [(await (await get(uploadURL ?? `${api}/uploads/${id}`)).json()) as Described];
}

/** FilePond asks the shop to delete what a person takes out of its list. */
async function requireRevert(page: Page): Promise<void> {
  const id: string = await page.evaluate("takeBack()");
  const { status } = await fetch(`${api}/uploads/${id}`);
  if (status !== 410) throw new Error(`A file that was taken back is ${status}; 410 is expected.`);
}

try {
  await consumer.install(packages);
  consumer.write("page.js", pageScript(api));
  await consumer.run("npx", ["--no-install", "esbuild", "page.js", "--bundle", "--outfile=out.js", "--log-level=error"]);
  script = readFileSync(join(consumer.folder, "out.js"), "utf8");
  await check("Uppy, @uppy/tus: pieces", "/uppy", "withUppy(0)", [large, odd, ...pictures]);
  await check("Uppy, @uppy/xhr-upload: a form for each file", "/uppy", "withUppy(1)", pictures);
  await check("Uppy, @uppy/xhr-upload with bundle: one form", "/uppy", "withUppy(2)", pictures);
  await check("Uppy, @uppy/xhr-upload without formData: the file itself", "/uppy", "withUppy(3)", [large, ...pictures]);
  await check("Dropzone: a form for each file", "/dropzone", `withDropzone("#form")`, pictures);
  await check("Dropzone with uploadMultiple: one form", "/dropzone", `withDropzone("#several")`, pictures);
  await check("Dropzone with binaryBody: the file itself", "/dropzone", `withDropzone("#raw")`, [large, ...pictures]);
  await check("FilePond: a form for each file, one taken back", "/filepond", "withFilePond(0)", pictures, requireRevert);
  await check("FilePond with chunkUploads: pieces, one taken back", "/filepond", "withFilePond(1)", [large, odd, ...pictures], requireRevert);
} finally {
  await browser.close();
  await shop.stop("SIGTERM");
  await closeServer(pages);
  consumer.remove();
}
console.log(failures === 0 ? "All passed." : `${failures} failed.`);
process.exit(failures === 0 ? 0 : 1);
