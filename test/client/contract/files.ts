import { attempt, type JobFailedError } from "restwright/client";
import { startUpload, type Upload, type UploadStorage } from "restwright/client/uploads";
import type { ContractCase } from "./place.js";
import { refusalOf } from "./rows.js";

const csvOf = (prefix: string, rows: number) =>
  `name,email\n${Array.from({ length: rows }, (_, index) => `${prefix} ${index},${prefix}-${index}@example.com`).join("\n")}\n`;

function memory(): UploadStorage {
  const kept = new Map<string, string>();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
}

const kibibyte = 1_024;
/** The SHA-256 of 256 KiB whose bytes count from 0 to 250. */
const countingBytes = () => Uint8Array.from({ length: 256 * kibibyte }, (_, index) => index % 251);
const sha256Of = async (bytes: Uint8Array<ArrayBuffer>) =>
  Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Imports, exports and uploads. */
export const fileCases: readonly ContractCase[] = [
  {
    name: "imports a file by a job, with growing progress, and lists the rows that failed",
    async run({ client, name }) {
      const file = new File([`${csvOf(name, 300)}Wrong,nowhere\n`], "users.csv", { type: "text/csv" });
      const job = await client().users.import(file, { mode: "upsert", key: "email" });
      const progress: number[] = [];
      for await (const state of job) progress.push(state.progress);
      const isGrowing = progress.every((each, index) => each >= (progress[index - 1] ?? 0));
      const failed: unknown[] = [];
      for await (const { row, code, cells } of job.errors()) failed.push([row, code, cells]);
      return [isGrowing, progress.at(-1), await job.result(), failed];
    },
    expected: [true, 1, { created: 300, updated: 0, skipped: 0, failed: 1 }, [[301, "VALIDATION_FAILED", ["Wrong", "nowhere"]]]],
  },
  {
    name: "tells why an import failed",
    async run({ client }) {
      const header = await refusalOf(client().users.import("nme,email\na,b\n", { format: "csv" }));
      const job = await client().users.import("name,email\nAda,nowhere\n", { format: "csv", onError: "stop" });
      const ended = await attempt(job.result());
      const { name, code } = (ended.ok ? {} : ended.error) as JobFailedError;
      return [header, name, code, await refusalOf(job.cancel())];
    },
    expected: ["ValidationError 422 UNKNOWN_COLUMN", "JobFailedError", "IMPORT_REJECTED", "ConflictError 409 JOB_FINISHED"],
  },
  {
    name: "exports rows as they arrive, a file, and by a job what a query string cannot say",
    async run({ client, name }) {
      await (await client().users.import(csvOf(name, 50), { format: "csv" })).result();
      const where = { email: { like: `${name}-*` } } as const;
      let rows = 0;
      for await (const row of client().users.export({ where, sort: "id", fields: ["name"] })) rows += row.name === `${name} ${rows}` ? 1 : 0;
      const csv = await client()
        .users.export({ where, sort: "id", fields: ["name"] })
        .blob("csv");
      const chosen: unknown[] = [];
      const either = { or: [{ email: `${name}-0@example.com` }, { email: `${name}-49@example.com` }] };
      for await (const row of client().users.export({ where: either, sort: "id", fields: ["email"] }))
        chosen.push(row.email === `${name}-0@example.com`);
      return [rows, (await csv.text()).split("\r\n").length, csv.type.startsWith("text/csv"), chosen];
    },
    expected: [50, 52, true, [true, false]],
  },
  {
    name: "sends a file in pieces, pauses and goes on",
    async run({ client }) {
      const bytes = countingBytes();
      const offsets: number[] = [];
      const upload: Upload = startUpload(client(), new File([bytes], "dätä.bin", { lastModified: 1 }), {
        storage: memory(),
        pieceBytes: 64 * kibibyte,
        onProgress({ sentBytes }) {
          const isFirst = sentBytes === 128 * kibibyte && !offsets.includes(sentBytes);
          offsets.push(sentBytes);
          if (!isFirst) return;
          upload.pause();
          setTimeout(() => upload.resume(), 30);
        },
      });
      const file = await upload.done;
      const isGrowing = offsets.every((each, index) => each >= (offsets[index - 1] ?? 0));
      return [file.filename, file.size, file.status, file.sha256 === (await sha256Of(bytes)), isGrowing, offsets.at(-1)];
    },
    expected: ["dätä.bin", 262_144, "ready", true, true, 262_144],
  },
  {
    name: "goes on with an upload that another call left off, cancels one, and tells of a file that is refused",
    async run({ client }) {
      const bytes = countingBytes();
      const storage = memory();
      const file = new File([bytes], "left.bin", { lastModified: 2 });
      const controller = new AbortController();
      const first = startUpload(client(), file, {
        storage,
        pieceBytes: 64 * kibibyte,
        signal: controller.signal,
        onProgress: ({ sentBytes }) => sentBytes === 128 * kibibyte && controller.abort(new Error("left off")),
      });
      const left = await attempt(first.done);
      const operations: string[] = [];
      const second = startUpload(client({ onRequest: ({ operation }) => operations.push(operation) }), file, { storage, pieceBytes: 64 * kibibyte });
      const { sha256 } = await second.done;
      const canceled: Upload = startUpload(client(), file, {
        storage: false,
        pieceBytes: 64 * kibibyte,
        onProgress: ({ sentBytes }) => void (sentBytes > 0 && canceled.cancel()),
      });
      const ended = await attempt(canceled.done);
      const pdf = new File(["%PDF-1.4\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"], "a.pdf");
      return [
        !left.ok && (left.error as Error).message,
        sha256 === (await sha256Of(bytes)),
        operations[0],
        operations.filter((operation) => operation === "uploads.append").length,
        !ended.ok && (ended.error as Error).name,
        await refusalOf(startUpload(client(), pdf, { storage: false }).done),
      ];
    },
    expected: ["left off", true, "uploads.offset", 2, "AbortError", "ValidationError 422 PDF_ACTIVE_CONTENT"],
  },
];
