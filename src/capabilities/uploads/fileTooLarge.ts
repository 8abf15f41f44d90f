import { ProblemError } from "../../ground/problem/index.js";

/** The problem for a file of more than `limit` bytes. */
export function fileTooLarge(limit: number): ProblemError {
  return new ProblemError("FILE_TOO_LARGE", `The file is larger than ${limit} bytes.`, { extensions: { limit } });
}
