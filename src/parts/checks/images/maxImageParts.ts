/** Maximum number of chunks or segments of an image. No program writes more, and reading more would block the event loop. */
export const maxImageParts = 100_000;
