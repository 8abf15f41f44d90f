import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { constants, copyFile, link, rename, rm, stat } from "node:fs/promises";
import { extname } from "node:path";
import { type Output, openFileOutput } from "../output.js";

/** The file for the rows that failed. */
export interface ErrorReport extends Omit<Output, "commit"> {
  /** @returns the path of the report */
  commit(): Promise<string>;
}

/**
 * Opens a report that never replaces a file with other content, since the user may have corrected that file. If there is one, the name of the report gets a
 * number.
 */
export async function openErrorReport(path: string): Promise<ErrorReport> {
  const draft = `${path}.${process.pid}.new`;
  const output = await openFileOutput(draft);
  return {
    ...output,
    async commit() {
      await output.commit();
      for (let number = 1; ; number++) {
        const target = number === 1 ? path : numbered(path, number);
        if (await linkIfAbsent(draft, target)) await rm(draft);
        else if (await isReplaceable(draft, target)) await rename(draft, target);
        else continue;
        return target;
      }
    },
    async discard() {
      await output.discard();
      await rm(draft, { force: true });
    },
  };
}

function numbered(path: string, number: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${number}${extension}`;
}

/** Links the draft to the target, or copies it, since not every file system has links. Returns `false` if the target exists. */
async function linkIfAbsent(draft: string, target: string): Promise<boolean> {
  const refused = (error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return false;
    throw error;
  };
  return link(draft, target)
    .catch((error: NodeJS.ErrnoException) => (error.code === "EEXIST" ? Promise.reject(error) : copyFile(draft, target, constants.COPYFILE_EXCL)))
    .then(() => true, refused);
}

/** Whether the target is empty or has the same content, so that nothing is lost. */
async function isReplaceable(draft: string, target: string): Promise<boolean> {
  const [own, other] = await Promise.all([stat(draft), stat(target)]);
  if (other.size === 0) return true;
  return own.size === other.size && (await hashOf(draft)) === (await hashOf(target));
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
