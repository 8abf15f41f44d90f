import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClamdAddress } from "restwright/clamd";
import { freePort } from "../../tools/freePort.js";

/** The file that every scanner knows as harmless and reports all the same. In two parts, so that no scanner reports this one. */
export const eicar = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-${"ANTIVIRUS-TEST-FILE"}!$H+H*`;

/** A clamd: the one that CLAMD_HOST and CLAMD_PORT name, or one of its own that knows the test file only. */
export class ClamdDaemon {
  readonly address: ClamdAddress;
  readonly socket: ClamdAddress | undefined;
  readonly #folder: string | undefined;
  readonly #process: ChildProcess | undefined;

  private constructor(address: ClamdAddress, socket?: ClamdAddress, folder?: string, process?: ChildProcess) {
    this.address = address;
    this.socket = socket;
    this.#folder = folder;
    this.#process = process;
  }

  static async start(): Promise<ClamdDaemon> {
    const host = process.env["CLAMD_HOST"];
    if (host !== undefined) return new ClamdDaemon({ host, port: Number(process.env["CLAMD_PORT"] ?? 3310) });
    const folder = mkdtempSync(join(tmpdir(), "clamd-"));
    const port = await freePort();
    const path = join(folder, "clamd.sock");
    const settings = `Foreground yes\nDatabaseDirectory ${folder}\nLocalSocket ${path}\nTCPSocket ${port}\nTCPAddr 127.0.0.1\nStreamMaxLength 1M\nTemporaryDirectory ${folder}\n`;
    writeFileSync(join(folder, "clamd.conf"), settings);
    writeFileSync(join(folder, "own.ndb"), `Test.EICAR:0:*:${Buffer.from(eicar).toString("hex")}\n`);
    const child = spawn("clamd", ["--config-file", join(folder, "clamd.conf")], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
    });
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const daemon = new ClamdDaemon({ host: "127.0.0.1", port }, { path }, folder, child);
    // It waits for connections when it checks itself.
    for (let waited = 0; !said.includes("Self checking"); waited += 50) {
      if (child.exitCode !== null || waited > 30_000) throw new Error(`clamd does not start: ${said}`);
      await sleep(50);
    }
    return daemon;
  }

  stop(): void {
    this.#process?.kill("SIGKILL");
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
