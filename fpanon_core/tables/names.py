"""What a column's name says about its role, in the languages operators write their files in."""

from __future__ import annotations

import re
import unicodedata

ROLES = ("user", "time", "lat", "lon", "antenna", "offset")

_EXACT = {
    "user": """user user_id userid uid id_user iduser user_no user_number usr usr_id anon_user
        msisdn imsi imei sim sim_id iccid subscriber subscriber_id sub_id subscr_id caller caller_id
        calling calling_number calling_party calling_msisdn a_number a_party anumber customer
        customer_id cust_id client client_id person person_id pid individual individual_id ind_id
        agent agent_id device device_id phone phone_id phone_number number telephone mobile
        mobile_id terminal terminal_id ue ue_id member member_id account account_id traveler
        traveller vehicle vehicle_id taxi taxi_id cab cab_id driver driver_id medallion android_id
        id_android participant participant_id respondent subject subject_id pseudonym pseudo_id
        ad_id advertiser_id advertising_id maid idfa caid hashed_id
        utilisateur id_utilisateur abonne id_abonne numero usuario id_usuario abonado cliente
        id_cliente assinante benutzer nutzer teilnehmer teilnehmer_id kunde kunden_id kundennummer
        utente gebruiker gebruiker_id klant abonnee anvandare bruger bruker kayttaja uzytkownik
        abonent abonent_id uzivatel kullanici abone polzovatel 用户 用户id ユーザー ユーザーid
        usuario_id cliente_id abonado_id utilisateur_id abonne_id telefono telefone""",
    "time": """time timestamp datetime date_time time_stamp ts t when epoch epoch_time unixtime
        unix_time unix_timestamp utc utc_time time_utc utctime utc_timestamp local_time localtime
        time_local gps_time event_time event_timestamp event_datetime call_time call_datetime
        start_time starttime time_start start start_datetime connection_time record_time
        recorded_at created_at checkin_time check_in_time pickup_datetime date_heure dateheure
        horodatage heure temps hora fecha fecha_hora fechahora tiempo momento data_hora datahora
        data_ora datum_zeit zeitstempel zeit zeitpunkt uhrzeit tijd tijdstip datumtijd tidspunkt
        tid czas data_czas cas zaman tarih vremya 时间 時間 日時 date day datum fecha_evento data
        dia jour""",
    "lat": """lat latitude y lat_deg latitude_deg gps_lat gps_latitude lat_wgs84 y_coord coord_y
        ycoord latitud latitudine breite breitengrad geo_breite breedtegraad latitud_y szerokosc
        szerokosc_geograficzna enlem shirota breddgrad 纬度 緯度 start_lat lat1 cell_lat antenna_lat
        site_lat tower_lat""",
    "lon": """lon lng long longitude lontitude x lon_deg longitude_deg gps_lon gps_lng gps_long
        gps_longitude lon_wgs84 x_coord coord_x xcoord longitud longitudine laenge lange
        laengengrad langengrad geo_laenge lengtegraad dlugosc dlugosc_geograficzna boylam dolgota
        lengdegrad langdgrad 经度 經度 経度 start_lon start_lng lon1 lng1 cell_lon cell_lng
        antenna_lon site_lon tower_lon""",
    "antenna": """antenna antenna_id antennaid ant_id cell cell_id cellid cid ci eci cgi ecgi
        site site_id siteid bts bts_id bts_code tower tower_id towerid cell_tower cell_tower_id
        base_station base_station_id basestation bs bs_id station_id enb enb_id enodeb enodeb_id
        gnb gnb_id sector sector_id cell_name site_name antenne id_antenne antena id_antena celda
        id_celda celula torre zelle zellen_id funkzelle mast antenna_code first_cell_id
        start_cell_id 基站 基站id""",
    "offset": """offset tz_offset timezone_offset time_zone_offset utc_offset gmt_offset tzoffset
        utcoffset timezone_offset_min tz_offset_min offset_min utc_offset_min utc_offset_minutes
        offset_minutes timezone_offset_minutes tz_offset_minutes""",
}
_RANK = {
    role: {name: rank for rank, name in enumerate(names.split())} for role, names in _EXACT.items()
}


def _sets(words: dict[str, str]) -> dict[str, set[str]]:
    return {role: set(text.split()) for role, text in words.items()}


_WEAK = _sets(
    {
        "user": "id name nom code mac mac_address hash",
        "antenna": """location location_id loc_id place place_id venue venue_id poi
            poi_id station node node_id lac id""",
    }
)
_TOKENS = _sets(
    {
        "user": """user userid uid msisdn imsi subscriber caller customer person
            client device phone taxi vehicle driver usuario utilisateur abonne
            abonado benutzer nutzer kunde utente abonent participant""",
        "time": "time timestamp datetime date epoch fecha zeit heure hora",
        "lat": "lat latitude latitud breitengrad",
        "lon": "lon lng longitude longitud lontitude laengengrad langengrad",
        "antenna": "antenna cell cellid tower bts site enodeb antenne antena",
        "offset": "offset",
    }
)
_NOT = _sets(
    {
        "user": """type agent class category status age gender sex plan lat lon time
            date count called callee b home work speed model""",
        "time": "zone offset end stop duration updated changed spent birth",
        "lat": "end dest destination b home work",
        "lon": "end dest destination b home work",
        "antenna": """lat lon latitude longitude type last end time range phone
            mobile number owner contact email mail user subscriber""",
        "offset": "",
    }
)
_ELSE = _sets(
    {
        "user": """track trajectory traj trip tour session route ride segment row index seq sequence
        event record speed altitude alt elevation z heading bearing course accuracy status
        occupied occupancy type category direction duration distance mode count n cell
        antenna site tower bts venue place location poi mcc mnc net area lac radio range
        samples called callee end unnamed rating fare city country region district date
        day hour week month"""
    }
)["user"]


def rank(name: object, role: str) -> float:
    """How well a name fits a role: 0 is best, infinity does not fit.

    0 … 999 are names known for the role, 1000 those that contain a word of it, 2000 weak ones that
    fit only if the content does.
    """
    key = normal(name)
    known = _RANK[role].get(key, _RANK[role].get(key.replace("_", "")))
    if known is not None:
        return known
    if key in _WEAK.get(role, ()):
        return 2000
    tokens = set(key.split("_"))
    if tokens & _TOKENS[role] and not tokens & _NOT[role]:
        return 1000
    return float("inf")


def is_known_name(name: object) -> bool:
    """Whether a header may say this."""
    return any(rank(name, role) < float("inf") for role in ROLES)


def says_something_else(name: object) -> bool:
    """Whether a name tells that the column is not the user (a track, a place, a speed …)."""
    return bool(set(normal(name).split("_")) & _ELSE)


def normal(name: object) -> str:
    """Lower case, no accents, words joined by single underscores: ``"User-ID"`` → ``"user_id"``."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name))
    text = unicodedata.normalize("NFKD", text.casefold())
    text = "".join(c for c in text if not unicodedata.combining(c))
    return re.sub(r"\W+|_+", "_", text).strip("_")
