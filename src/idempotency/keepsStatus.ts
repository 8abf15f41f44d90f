import type { GuardOptions } from "./guardOptions.js";

/** Which answers of a handler are kept: below 400 all, above what the options say. */
export function keepsStatus({ storesStatus, storeServerErrors = false }: GuardOptions): (status: number) => boolean {
  return (status) => status < 400 || (status < 500 ? storesStatus?.(status) === true : storeServerErrors);
}

/** The status that an error stands for by the convention of frameworks: its `status` or `statusCode`, else 500. */
export function failureStatus(error: unknown): number {
  if (typeof error !== "object" || error === null) return 500;
  const status = "status" in error ? error.status : "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 400 && status <= 599 ? status : 500;
}
