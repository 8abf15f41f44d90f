import { isObject, type Members } from "./members.js";

/** Sends a file to the service, and returns what names it there. */
export type SendFile = (file: Blob) => Promise<{ readonly id: string }>;

/**
 * Sends the files among the values of a form, and puts their ids in their place: a `File`, or the `{ rawFile }` of an input of react-admin.
 *
 * @throws {TypeError} for a file that nothing sends
 */
export async function sendFiles(values: Members, upload: SendFile | undefined): Promise<Members> {
  const sent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const file = fileOf(value);
    if (file !== undefined && upload === undefined) {
      throw new TypeError(`"${name}" is a file: set { upload: (file) => startUpload(client, file).done } of restwright/client/uploads.`);
    }
    sent[name] = file === undefined ? value : (await upload?.(file))?.id;
  }
  return sent;
}

function fileOf(value: unknown): Blob | undefined {
  if (value instanceof Blob) return value;
  if (isObject(value) && value["rawFile"] instanceof Blob) return value["rawFile"];
  return undefined;
}
