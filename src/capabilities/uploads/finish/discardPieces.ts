import { loadUpload } from "../records/find.js";
import type { UploadSettings } from "../records/settings.js";
import { isPartial, type Upload } from "../records/upload.js";
import { discardUpload } from "./record.js";

const final = "final;";

/** The addresses of the pieces of a concatenation, from its `Upload-Concat`. */
export function piecesOf(concat: string): readonly string[] {
  const addresses = concat.startsWith(final) ? concat.slice(final.length).split(" ") : [];
  return addresses.filter((address) => address !== "");
}

/** The id in the address of a piece; empty if it is not the address of an upload. */
export function pieceId(address: string): string {
  return /\/uploads\/([0-9a-f]{32})\/?(?:\?.*)?$/.exec(address)?.[1] ?? "";
}

/** Discards the pieces of a concatenation that has ended: they do not count since it was finished, so the quota would not bound what is stored. */
export async function discardPieces(settings: UploadSettings, { data }: Upload): Promise<void> {
  for (const address of piecesOf(data.concat ?? "")) {
    const piece = await loadUpload(settings, pieceId(address));
    if (piece !== undefined && isPartial(piece) && piece.data.status === "ready" && piece.record.bytes === 0) await discardUpload(settings, piece);
  }
}
