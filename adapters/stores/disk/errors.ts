import { Unavailable } from "../../../src/ground/storage/errors.js";

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: "it is full. Free some space.",
  EDQUOT: "the quota is used up. Free some space, or allow more.",
  EFBIG: "a file has become larger than it or this process allows. Allow more.",
  EIO: "reading or writing failed. Check the disk.",
  EROFS: "it is read-only. Mount it so that it can be written to.",
  EACCES: "this process may not use the folder. Check its permissions.",
  EPERM: "this process may not use the folder. Check its permissions.",
  ENOTDIR: "a part of the path is not a folder. Name another path.",
  EMFILE: "this process has too many files open. Allow more.",
  ENFILE: "the system has too many files open. Allow more.",
};

/** The result of a file system call; its errors become `Unavailable` with the error as cause. Other errors are rethrown. */
export async function onDisk<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    throw translateError(error);
  }
}

function translateError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error && "syscall" in error ? String(error.code) : undefined;
  if (code === undefined) return error;
  return new Unavailable(`The disk cannot answer: ${remedies[code] ?? `the file system says ${code}.`}`, { cause: error });
}

/** The result of a file system call; `undefined` if the file or folder is missing. */
export async function ifThere<R>(work: Promise<R>): Promise<R | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
