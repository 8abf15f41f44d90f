/** How long a secret that was replaced may go on signing, in seconds: a week. */
export const maxOverlapSeconds = 604_800;
