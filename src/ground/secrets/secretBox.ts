import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { SecretBoxError } from "./secretBoxError.js";
import { Secrets } from "./secrets.js";

/** Encrypts texts, so that a copy of the database does not reveal them. An implementation may call a key service asynchronously. */
export interface SecretBox {
  /** @param context what the text belongs to, e.g. the id of a webhook; a text that is sealed for one cannot be opened for another */
  seal(text: string, context: string): string | Promise<string>;
  /** @throws {SecretBoxError} UNKNOWN_KEY, UNREADABLE */
  open(sealed: string, context: string): string | Promise<string>;
}

/** A secret box that works synchronously. */
export interface LocalSecretBox extends SecretBox {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
  /** Whether a text is sealed with the first secret. Otherwise it should be sealed again before its secret is removed. */
  isCurrent(sealed: string): boolean;
}

interface BoxKey {
  readonly id: string;
  readonly key: Buffer;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with keys derived from the service's secrets by HKDF: the first seals, all open. A sealed text is `<key id>.<base64url>` of nonce,
 * ciphertext and tag.
 *
 * @throws {ConfigurationError} for no secret, or one shorter than 16 bytes
 * @see NIST SP 800-38D
 */
export function createSecretBox(secrets: readonly string[]): LocalSecretBox {
  return secretBoxOf(new Secrets(secrets));
}

const boxes = new WeakMap<Secrets, LocalSecretBox>();

/** The same with the secrets of a service; its keys are derived once. */
export function secretBoxOf(secrets: Secrets): LocalSecretBox {
  const known = boxes.get(secrets);
  if (known !== undefined) return known;
  const box = makeBox(secrets);
  boxes.set(secrets, box);
  return box;
}

const maxOpened = 1_000;

/** The same box with a cache of recently opened texts: a webhook's secret is needed for each of its deliveries. */
export function rememberingBox(box: LocalSecretBox): LocalSecretBox {
  const opened = new Map<string, string>();
  return {
    ...box,
    open(sealed, context) {
      const name = `${context} ${sealed}`;
      const known = opened.get(name);
      if (known !== undefined) return known;
      const text = box.open(sealed, context);
      if (opened.size >= maxOpened) opened.delete(opened.keys().next().value ?? "");
      opened.set(name, text);
      return text;
    },
  };
}

function makeBox(secrets: Secrets): LocalSecretBox {
  const ids = secrets.derive("secret-box-id", 6).map((id) => id.toString("base64url"));
  const keys = secrets.derive("secret-box", 32).map((key, index): BoxKey => ({ id: ids[index] ?? "", key }));
  const [current] = keys;
  if (current === undefined) throw new Error("The list of secrets is empty.");
  return {
    seal: (text, context) => seal(current, text, context),
    open: (sealed, context) => {
      const key = keys.find(({ id }) => sealed.startsWith(`${id}.`));
      if (key === undefined) throw new SecretBoxError("UNKNOWN_KEY", `A sealed text needs a secret that is missing in "secrets".`);
      return open(key, sealed.slice(key.id.length + 1), context);
    },
    isCurrent: (sealed) => sealed.startsWith(`${current.id}.`),
  };
}

function seal({ id, key }: BoxKey, text: string, context: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(context));
  const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return `${id}.${Buffer.concat(parts).toString("base64url")}`;
}

function open({ key }: BoxKey, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < nonceBytes + tagBytes || bytes.toString("base64url") !== sealed) throw unreadable();
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes }).setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString();
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause?: unknown): SecretBoxError {
  return new SecretBoxError("UNREADABLE", "A sealed text has been changed, or was sealed for another context.", { cause });
}
