import { Unavailable } from "../../src/storage/errors.js";

/** Codes with which a server says that it cannot answer now, or not this client. */
const unavailable: Readonly<Record<string, string>> = {
  LOADING: "it is still loading its data. Wait for it.",
  BUSY: "it is busy with a script. Wait for it, or end the script.",
  MASTERDOWN: "its primary is down. Bring it up.",
  CLUSTERDOWN: "the cluster is down. Bring its nodes up.",
  TRYAGAIN: "the cluster is moving its keys. Try again.",
  READONLY: "it is a replica. Connect to the primary.",
  NOREPLICAS: "it has too few replicas to write. Bring them up.",
  MISCONF: "it cannot save its data. Check its disk.",
  OOM: "its memory is full. Give it more.",
  NOAUTH: "it refused the log-in. Check the user and the password.",
  WRONGPASS: "it refused the log-in. Check the user and the password.",
};

/** Whether the server has not seen a script of this hash yet. */
export function isUnknownScript(error: unknown): boolean {
  return codeOf(error) === "NOSCRIPT";
}

/** A client's error → `Unavailable` with the error as cause; what a server says against the command itself stays as it is. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Unavailable || error instanceof TypeError) return error;
  const code = codeOf(error);
  if (code !== undefined && !Object.hasOwn(unavailable, code)) return error;
  const remedy = unavailable[code ?? ""] ?? "there is no connection to it. Check that it runs and that its address is right.";
  return new Unavailable(`Redis cannot answer: ${remedy}`, { cause: error });
}

/** Answers of a server begin with a code; what the clients say themselves does not. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? /^([A-Z]{2,}) /.exec(error.message)?.[1] : undefined;
}
