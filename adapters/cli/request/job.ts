import { CommandError } from "../commandError.js";

/** A job as the server shows it. */
export interface Job {
  readonly id: string;
  readonly status: "queued" | "processing" | "completed" | "failed";
  /** 0 to 1. */
  readonly progress: number;
  readonly processedRows: number;
  readonly totalRows: number | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly code: string; readonly detail?: string | undefined; readonly row?: number | undefined } | null;
  /** Relative to the origin. */
  readonly links: Readonly<Record<string, string>>;
}

const states: ReadonlySet<unknown> = new Set(["queued", "processing", "completed", "failed"]);

/** Parses the body of a job. @throws {CommandError} if it is not a job */
export function parseJob(text: string, url: URL): Job {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isJob(value)) throw new CommandError(`${url.href} is not a job: its response has no "id", "status" and "links".`);
  return value;
}

function isJob(value: unknown): value is Job {
  if (typeof value !== "object" || value === null || !("status" in value) || !states.has(value.status)) return false;
  return "links" in value && typeof value.links === "object" && value.links !== null && "id" in value && typeof value.id === "string";
}

/** Whether a job has ended. */
export function isEnded({ status }: Job): boolean {
  return status === "completed" || status === "failed";
}

/**
 * The URL of a job's link; `undefined` if the job has no link of that name.
 *
 * @param url the URL from which the job was read. A proxy may remove a prefix from its path, so that the links of the service lack that prefix
 */
export function linkOf({ links }: Job, name: string, url: URL): URL | undefined {
  const { self, [name]: target } = links;
  if (typeof target !== "string") return undefined;
  const path = typeof self === "string" && target.startsWith(`${self}/`) ? url.pathname + target.slice(self.length) : target;
  return URL.canParse(path, url.href) ? new URL(path, url) : undefined;
}

/**
 * The URL of a new job: `Location`, unless that is on another host, which must not get the credentials.
 *
 * @param url the URL of the request that created it
 * @throws {CommandError}
 */
export function addressOfJob({ links }: Job, location: string | null | undefined, url: URL): URL {
  const target = typeof location === "string" && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (target?.origin === url.origin) return target;
  if (typeof links["self"] === "string" && URL.canParse(links["self"], url.href)) return new URL(links["self"], url);
  throw new CommandError(`${url.href} created a job, but its response has no URL of the job.`);
}
