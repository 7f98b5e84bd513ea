"""Light Speed: ships of up to four teams, their lasers and shields, and the rocks of asteroids."""

#: Its own words: nothing outside the rooms of games is named by them (docs/house.md).
WORDS = (
    "ship",
    "laser",
    "asteroid",
    "rock",
    "piracy",
    "muzzle",
    "moth",
    "sidewinder",
    "intruder",
    "lancer",
    "viper",
    "bastion",
    "avenger",
    "juggernaut",
    "destroyer",
)
