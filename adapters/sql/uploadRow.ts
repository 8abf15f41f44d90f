import type { AccountUse, UploadRecord } from "../../src/storage/uploads.js";
import type { SqlRow } from "./executor.js";

/** A row of the uploads. */
export function toUpload(row: SqlRow): UploadRecord {
  return {
    id: String(row["id"]),
    version: Number(row["version"]),
    tenant: row["tenant"] === "" ? undefined : String(row["tenant"]),
    owner: String(row["owner"]),
    account: String(row["account"]),
    isOpen: Number(row["open"]) === 1,
    bytes: Number(row["bytes"]),
    dueAt: row["due"] === null ? undefined : new Date(Number(row["due"])),
    data: row["data"] === null ? undefined : JSON.parse(String(row["data"])),
  };
}

/** What an account has, as far as a row says so, without `more` of it. Sums may lie beyond what a number holds exactly. */
export function toUse(row: SqlRow | undefined, more: AccountUse = { open: 0, bytes: 0 }): AccountUse {
  const [open, bytes] = [row?.["open"] ?? 0, row?.["bytes"] ?? 0].map((sum) => BigInt(sum as bigint | number | string));
  return { open: Number((open ?? 0n) - BigInt(more.open)), bytes: Number((bytes ?? 0n) - BigInt(more.bytes)) };
}
