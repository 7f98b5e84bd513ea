"""One of two servers killed at random moments under load: nothing acknowledged is lost."""

import random

from tests.apps.killed import UPLOADERS, kill_in_turn, lost_of, two_servers, under_load

KILLS = 2  # ``python -m bench kills`` has twenty, with a live game


def test_what_either_of_two_servers_acknowledged_outlives_its_death(tmp_path, postgres):
    with two_servers(tmp_path, postgres) as servers:
        with under_load(servers) as uploads:
            kill_in_turn(uploads, KILLS, random.Random(18))
            uploads.wait_for(UPLOADERS)
        assert len(set(uploads.known.values())) == len(uploads.known), "two uploads share a scan"
        assert lost_of(uploads, servers) == {}
