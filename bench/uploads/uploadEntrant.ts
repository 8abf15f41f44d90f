import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Server } from "../tools/server.js";

/** A server that takes files. */
export interface UploadEntrant {
  readonly name: string;
  readonly server: Server;
  /** Where its files are. */
  readonly folder: string;
  /** Ends the server, and removes all that it kept. */
  stop(): Promise<void>;
}

/** What one is started with. */
export interface UploadEntrantStart {
  readonly name: string;
  /** Path of the compiled server; it is told `--name` and `--folder`, and may put other things beside the folder. */
  readonly program: string;
  readonly options?: readonly string[] | undefined;
}

/** @param within on the disk that is to be measured */
export async function startUploadEntrant(within: string, { name, program, options = [] }: UploadEntrantStart): Promise<UploadEntrant> {
  const place = await mkdtemp(join(within, "restwright-bench-uploads-"));
  const folder = join(place, "files");
  const remove = () => rm(place, { recursive: true, force: true });
  try {
    await mkdir(folder);
    const server = await Server.start(program, ["--name", name, "--folder", folder, ...options]);
    return {
      name,
      server,
      folder,
      async stop() {
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Starts all, or none. */
export async function startUploadEntrants(within: string, starts: readonly UploadEntrantStart[]): Promise<readonly UploadEntrant[]> {
  const entrants: UploadEntrant[] = [];
  try {
    for (const start of starts) entrants.push(await startUploadEntrant(within, start));
    return entrants;
  } catch (error) {
    await stopAll(entrants);
    throw error;
  }
}

export async function stopAll(entrants: readonly UploadEntrant[]): Promise<void> {
  for (const entrant of entrants) await entrant.stop();
}
