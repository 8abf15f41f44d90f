import { Connection } from "../tools/connection.js";
import { runLoad } from "../tools/load.js";
import { claimMemory } from "./claimMemory.js";
import { formMessage, formText } from "./formMessage.js";
import type { UploadWork } from "./measureUploads.js";
import { repeated } from "./repeated.js";
import { removeFiles, requireContent, requireStored } from "./storedFiles.js";
import type { UploadEntrant } from "./uploadEntrant.js";

const smallBytes = 4_096;
const connections = 8;

/** Has each take a form whose bytes are looked for in its files. @throws {Error} where they are not there */
export async function requireForms(entrants: readonly UploadEntrant[]): Promise<void> {
  // No piece of the network's or of a file's is as long.
  const content = Buffer.concat([...repeated(1_048_576), Buffer.from("the last byte is 1")]);
  for (const { server, folder } of entrants) {
    await sendForm(server.port, [content], content.length);
    await requireContent(folder, content);
    await removeFiles(folder);
  }
}

/** A form with one large file. */
export function largeForms(entrants: readonly UploadEntrant[], bytes: number): readonly UploadWork[] {
  return entrants.map(({ name, server, folder }) => ({
    name,
    server,
    prepare: () => claimMemory(folder, bytes),
    send: () => sendForm(server.port, repeated(bytes), bytes),
    clear: () => clear(folder, 1, bytes),
  }));
}

/** Forms of one small file each, on a few connections. */
export function smallForms(entrants: readonly UploadEntrant[], files: number): readonly UploadWork[] {
  const text = formText("0123456789abcde\n".repeat(smallBytes / 16));
  return entrants.map(({ name, server, folder }) => ({
    name,
    server,
    send: () => runLoad({ port: server.port, requests: files, status: 201, connections, next: () => text }),
    clear: () => clear(folder, files, smallBytes),
  }));
}

async function sendForm(port: number, content: Iterable<Uint8Array>, bytes: number): Promise<void> {
  const { head, body } = formMessage(content, bytes);
  const connection = await Connection.open(port);
  try {
    const answer = await connection.sendBody(head, body);
    if (answer.status !== 201) throw new Error(`A form was answered ${answer.status}:\n${answer.head}\n\n${answer.body}`);
  } finally {
    connection.close();
  }
}

async function clear(folder: string, files: number, bytes: number): Promise<void> {
  await requireStored(folder, files, bytes);
  await removeFiles(folder);
}
